"""Adapters for the vectors of Booku."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from core.algos import (
    booku_names,
    booku_rows,
    chunking,
    command_line,
    dedupe,
    flashback,
    novelty,
    rag_params,
    reshape,
    titles,
    vectors,
)
from core.algos.reshape import TagGroups, TagWeights
from core.booku import command
from tests.golden.table import Inputs, golden


def vector(values: Any) -> vectors.Vector:
    return np.array(values if values is not None else [], dtype=np.float64).reshape(-1)


def rows(values: Any) -> list[vectors.Vector]:
    return [vector(row) for row in values or []]


def weighted(values: Any) -> list[reshape.Weighted]:
    return [(vector(row), float(weight)) for row, weight in values or []]


@golden("cosine_similarity")
def _cosine(given: Inputs) -> Any:
    return vectors.cosine(vector(given["left"]), vector(given["right"]))


@golden("knowledge_cosine_similarity")
def _knowledge_cosine(given: Inputs) -> Any:
    return vectors.cosine_of_common(vector(given["left"]), vector(given["right"]))


@golden("to_float_vector_service")
def _stored_vector(given: Inputs) -> Any:
    try:
        return vectors.stored_vector(given["values"], given["expected_dim"]).tolist()
    except vectors.WrongDimension as error:
        raise RuntimeError(str(error)) from error  # the original's kind of error


@golden("to_float_vector_dedup")
def _dedup_vector(given: Inputs) -> Any:
    return vectors.as_vector(given["values"]).tolist()


@golden("local_svd_basis")
def _svd_basis(given: Inputs) -> Any:
    basis = novelty.local_basis(rows(given["vectors"]))
    return {"rank": len(basis), "projector": (basis.T @ basis).tolist() if len(basis) else None}


@golden("project_to_basis")
def _project(given: Inputs) -> Any:
    return novelty.project(vector(given["vector"]), rows(given["basis_vectors"])).tolist()


@golden("novelty_energy_ratio")
def _novelty(given: Inputs) -> Any:
    return novelty.novelty_energy(vector(given["new_vector"]), rows(given["basis_vectors"]))


@golden("logic_depth")
def _logic_depth(given: Inputs) -> Any:
    return reshape.logic_depth(vector(given["query_vector"]), rows(given["evidence_vectors"]))


@golden("resonance")
def _resonance(given: Inputs) -> Any:
    groups = (frozenset(given.get(name) or []) for name in ("core", "diffusion", "opposing"))
    return reshape.resonates(given["query_text"], TagGroups(*groups))


@golden("beta")
def _beta(given: Inputs) -> Any:
    return reshape.beta(
        given["logic_depth"],
        given["resonance"],
        base=given["base_beta"],
        depth_scale=given["logic_depth_scale"],
    )


@golden("weighted_centroid")
def _centroid(given: Inputs) -> Any:
    return reshape.weighted_centroid(
        len(given["query_vector"]), weighted(given["vectors_with_weight"])
    ).tolist()


@golden("reshape_query_vector")
def _reshape(given: Inputs) -> Any:
    return reshape.reshape_query(
        vector(given["query_vector"]),
        given["beta"],
        core=weighted(given["core"]),
        diffusion=weighted(given["diffusion"]),
        opposing=weighted(given["opposing"]),
        energy_cutoff=given["energy_cutoff"],
    ).tolist()


@golden("score_with_tags")
def _tag_score(given: Inputs) -> Any:
    stored = given["record_tags"] or {}
    return reshape.tag_score(
        given["similarity"],
        given["beta"],
        TagGroups(*(frozenset(given[f"query_{name}"] or []) for name in ("core", "diffusion", "opposing"))),
        TagGroups(
            *(frozenset(stored.get(f"{name}_tags") or []) for name in ("core", "diffusion", "opposing"))
        ),
        TagWeights(**{name: given[name] for name in TagWeights.__dataclass_fields__}),
        words=frozenset(given["query_text"].lower().split()),
    )


@golden("residual_energy")
def _residual(given: Inputs) -> Any:
    return dedupe.residual_energy(vector(given["vector"]), rows(given["selected"]))


@golden("dedup_select")
def _dedup(given: Inputs) -> Any:
    usable = [item for item in given["candidates"] or [] if isinstance(item.get("embedding"), list)]
    picks = dedupe.select_diverse(
        [vectors.as_vector(item["embedding"]) for item in usable],
        [float(item.get("score") or 0.0) for item in usable],
        given["limit"],
        given["similarity_threshold"],
        keys=[repr(sorted(item.items())) for item in usable],
    )
    return [usable[at]["id"] for at in picks]


def _embedder(given: Inputs) -> chunking.Embed:
    """The recorder's stub: the first key that the text contains decides the vector."""

    def one(text: str) -> list[float]:
        return next(
            (row for key, row in given["embeddings"].items() if key in text), given["default_embedding"]
        )

    return lambda texts: np.array([one(text) for text in texts], dtype=np.float64)


def _pieces(pieces: list[chunking.Piece]) -> list[dict[str, str]]:
    return [{"title": piece.title, "content": piece.content} for piece in pieces]


@golden("split_paragraph_chunks")
def _pack(given: Inputs) -> Any:
    return chunking.pack_paragraphs(given["text"], given["max_chunk_chars"], given["overlap_chars"])


@golden("split_markdown")
def _markdown(given: Inputs) -> Any:
    return _pieces(chunking.split_markdown(given["text"], given["max_chunk_chars"], given["overlap_chars"]))


@golden("semantic_units")
def _units(given: Inputs) -> Any:
    return chunking.semantic_units(given["text"])


@golden("split_semantic")
def _semantic(given: Inputs) -> Any:
    found = chunking.split_semantic(
        given["text"], given["max_chunk_chars"], given["overlap_chars"], _embedder(given)
    )
    return _pieces(found)


@golden("merge_short_chunks")
def _merge_short(given: Inputs) -> Any:
    pieces = [chunking.Piece(raw["title"], raw["content"]) for raw in given["chunks"]]
    return _pieces(chunking.merge_short(pieces, given["min_chunk_chars"], _embedder(given)))


@golden("build_document_chunks")
def _cut(given: Inputs) -> Any:
    found = chunking.cut_document(
        given["text"],
        markdown=given["is_markdown"],
        max_chars=given["max_chunk_chars"],
        overlap_chars=given["overlap_chars"],
        embed=_embedder(given),
    )
    return _pieces(found)


@golden("min_chunk_chars")
def _short_limit(given: Inputs) -> Any:
    return chunking.short_limit(given["max_chunk_chars"])


def _text(value: Any) -> str:
    return "" if value is None else str(value)


golden("normalize_text")(lambda given: chunking.normalise_lines(_text(given["text"])))
golden("sanitize_title")(lambda given: titles.document_title(_text(given["title"])))
golden("document_title_of_chunk")(lambda given: titles.document_of_piece(_text(given["chunk_title"])))
golden("collect_unique_titles")(lambda given: titles.documents_of_pieces(map(_text, given["titles"])))
golden("extract_keywords")(lambda given: titles.keywords(_text(given["text"]), given["limit"]))
golden("semantic_title")(lambda given: titles.piece_title(_text(given["text"])))
golden("extract_title")(lambda given: titles.title_of_text(_text(given["content"])))
golden("join_title_and_content")(
    lambda given: titles.join_title(_text(given["title"]), _text(given["content"]))
)
golden("split_title_and_content")(
    lambda given: list(titles.split_title(_text(given["title"]), _text(given["content"])))
)
golden("normalize_tags")(lambda given: booku_names.tags(given["tags"]))
golden("normalize_bucket")(lambda given: booku_names.bucket(given["bucket"]))
golden("normalize_folder")(lambda given: booku_names.folder(given["folder_id"], _text(given["default"])))
golden("collection_name")(lambda given: booku_names.collection(given["bucket"], given["folder_id"]))
golden("legacy_collection_candidates")(lambda given: booku_names.memory_collections(given["folder_id"]))
golden("parse_json_list")(lambda given: booku_names.json_list(given["raw"]))
golden("startup_title")(
    lambda given: titles.startup_title(
        PurePosixPath(given["file"]),
        [PurePosixPath(root) for root in given["roots"]],
        recursive=given["recursive"],
    )
)
golden("clamp_probability")(lambda given: flashback.probability(given["value"]))
golden("should_trigger")(lambda given: flashback.triggers(given["trigger_probability"], given["u"]))
golden("pick_layer")(lambda given: flashback.flashback_layer(given["archived_probability"], given["u"]).value)
golden("weighted_choice")(
    lambda given: flashback.weighted_choice(given["items"], given["weights"], given["u"])
)
golden("activation_weight")(
    lambda given: flashback.activation_weight(given["activation_count"], given["exponent"])
)


@golden("memo_remaining")
def _memo(given: Inputs) -> Any:
    life = flashback.remaining_life(given["seconds_left"])
    return {"unit": life.unit.value, "text_number": life.text}


@golden("load_rag_params")
def _rag_params(given: Inputs) -> Any:
    file = given["file"]
    text = file if file is None or isinstance(file, str) else json.dumps(file)
    return asdict(rag_params.read_rag_params(text, rag_params.RagParams(**given["defaults"])))


@golden("split_segments")
def _segments(given: Inputs) -> Any:
    return command_line.split_segments(given["command"])


@golden("parse_segment")
def _segment(given: Inputs) -> Any:
    try:
        segment = command_line.parse_segment(given["segment"])
    except command_line.CommandProblem as problem:
        return {"error": problem.code}
    return [segment.operation, segment.options]


golden("parse_bool")(lambda given: command_line.parse_bool(given["value"], given["default"]))
golden("parse_int")(lambda given: command_line.parse_int(given["value"], given["default"]))
golden("parse_float")(lambda given: command_line.parse_float(given["value"], given["default"]))
golden("parse_csv")(lambda given: command_line.parse_list(given["value"]))
golden("pick_ids")(lambda given: command_line.pick_ids(given["options"]))


@golden("pick_tag_triplet")
def _triplet(given: Inputs) -> Any:
    try:
        return list(command_line.pick_triplet(given["options"], required=given["required"]))
    except command_line.CommandProblem as problem:
        return {"error": problem.code}


@golden("execute")
def _execute(given: Inputs) -> Any:
    """The real dispatcher; the recorder's stub of the service answers every call."""
    calls: list[dict[str, Any]] = []

    async def stub(call: command_line.ServiceCall) -> object:
        calls.append({"method": call.method, "kwargs": dict(call.arguments)})
        return {"ok": call.method}

    success, payload = asyncio.run(
        command.run_command(
            given["command"], stub, help_text="<manual text>", describe=lambda problem: problem.code
        )
    )
    return {"tool_success": success, "payload": payload, "service_calls": calls}


_V1_COLUMNS = (
    *("memory_id TEXT", "title TEXT", "folder_id TEXT", "bucket TEXT", "content TEXT", "source TEXT"),
    *("novelty_energy FLOAT", "is_archived INTEGER", "is_deleted INTEGER", "deleted_at FLOAT"),
    *("created_at FLOAT", "updated_at FLOAT", "last_activated_at FLOAT", "activation_count INTEGER"),
)


@golden("migration")
def _migration(given: Inputs) -> Any:
    if "rows" in given:
        added = ["status", "memory_type"] if given["schema"] == "v1" else []
        return {
            row["memory_id"]: {
                key: booku_rows.upgraded_row(row)[key] for key in [*row, *added] if key != "memory_id"
            }
            for row in given["rows"]
        }
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f"{column} NOT NULL" for column in _V1_COLUMNS)
    connection.execute(f"CREATE TABLE {booku_rows.RECORDS} ({columns}, PRIMARY KEY (memory_id))")
    connection.execute(
        f"CREATE INDEX idx_booku_memory_folder_bucket ON {booku_rows.RECORDS} (folder_id, bucket, is_archived)"
    )
    for statement in booku_rows.upgrade_statements([column.split()[0] for column in _V1_COLUMNS]):
        connection.execute(statement)
    columns_now = connection.execute(f"PRAGMA table_info({booku_rows.RECORDS})").fetchall()
    indexes = connection.execute(f"PRAGMA index_list({booku_rows.RECORDS})").fetchall()
    connection.close()
    return {
        "indexes": sorted(row[1] for row in indexes),
        "columns_name_type_notnull_default": [list(row[1:5]) for row in columns_now],
    }
