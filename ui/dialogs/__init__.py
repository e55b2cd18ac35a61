"""Dialogs: each asks for what one command needs, runs it, and closes. All open with `.open()`.

    move.MoveDialog(ctx, pks, parent, copy=False)      move or copy to a folder by typing
    bulk.TagsDialog / VisibilityDialog(ctx, pks, parent)
    replace.ReplaceDialog(ctx, pks, parent)            find and replace with a preview of every change
    folders.AlsoReadsDialog(ctx, folder_pk, parent)    which folders a folder reads too
    folders.MergeFolderDialog(ctx, folder_pk, parent)  put a folder into another
    importing.ImportDialog(ctx, path, parent)          dry run, choices, import; `show_folder(FolderPk)`
    exporting.ExportDialog(ctx, subject, parent)       a folder, chosen memories or the library as a file
    relation.AddRelation / EditRelation / EndRelation  used by the relations view

`CommandDialog.on_done(function)` hears the OpResult.
"""
