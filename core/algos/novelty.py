"""How much of a new text the memories beside it do not hold already: energy outside their span.

Source of all formulas: spec/BOOKU §2.1-2.3. Everything is computed in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.algos.vectors import EPS, Matrix, Vector

ENERGY_SHARE = 0.9
"""Directions are added until they explain this share of the energy (spec/BOOKU §2.1)."""
WEAKEST_ENERGY = 1e-8
"""Directions with no more energy than this are noise (spec/BOOKU §2.1)."""


def local_basis(vectors: Sequence[Vector]) -> Matrix:
    """The main directions of the vectors, strongest first, as orthonormal rows.

    Shapes: n vectors -> (k, d), d = dimensions of the first one; vectors of other dimensions, without
    energy or not finite are left out. The rows are not centred, so the basis spans the texts themselves.
    No direction: shape (0, d). Cost: O(n² d) for n < d.
    """
    dims = len(vectors[0]) if len(vectors) else 0
    rows = [row for row in vectors if len(row) == dims and EPS < float(row @ row) < np.inf]
    if not rows:
        return np.zeros((0, dims))
    _, strengths, directions = np.linalg.svd(np.stack(rows), full_matrices=False)
    energies = strengths**2
    total = float(np.sum(energies))
    if total <= EPS:
        return np.zeros((0, dims))
    kept = 0
    explained = 0.0
    for energy in energies.tolist():
        if energy <= WEAKEST_ENERGY:
            break
        kept += 1
        explained += energy
        if explained / total >= ENERGY_SHARE:
            break
    return np.asarray(directions[:kept], dtype=np.float64)


def project(vector: Vector, basis: Sequence[Vector] | Matrix) -> Vector:
    """The part of the vector that lies along the basis: sum of its projections on each row.

    Exact for orthogonal rows only. Rows of other dimensions and rows without energy add nothing.
    """
    part = np.zeros_like(vector)
    for row in basis:
        if len(row) == len(vector) and (energy := float(row @ row)) > EPS:
            part += float(row @ vector) / energy * row
    return part


def novelty_energy(vector: Vector, neighbours: Sequence[Vector]) -> float:
    """Share 0..1 of the vector's energy that its neighbours do not explain.

    1 without neighbours or when they have no direction, 0 for a vector without energy. An exact double
    of a neighbour in a weak direction looks new (the 90 % cut), and a text between two unrelated ones
    looks old: callers gate it with the nearest cosine (DESIGN §5, upsert_memory).
    """
    basis = local_basis(neighbours)
    if not len(basis):
        return 1.0
    energy = float(vector @ vector)
    if energy <= EPS:
        return 0.0
    rest = vector - project(vector, basis)
    return float(rest @ rest) / energy
