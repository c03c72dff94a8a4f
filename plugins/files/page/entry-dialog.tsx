import type { Signal } from '@preact/signals';
import { Compress, Extract } from './dialogs/archive-dialogs.tsx';
import { Details, type Act } from './dialogs/details.tsx';
import { Editor } from './editor/editor.tsx';
import { ModeDialog } from './dialogs/mode-dialog.tsx';
import { MoveDialog } from './dialogs/move-dialog.tsx';
import { NewFolder, Rename } from './dialogs/name-dialogs.tsx';
import type { OnAct } from './entry-table.tsx';
import type { Entry } from './place.ts';

/** The dialog that is open, and the entries that it is about. */
export interface Open {
  readonly what: 'new' | 'details' | Exclude<Act, 'download' | 'repair' | 'remove'>;
  readonly entries: readonly Entry[];
}

interface EntryDialogProps {
  readonly open: Signal<Open | undefined>;
  readonly root: string;
  readonly folder: string;
  readonly onAct: OnAct;
  readonly onMoved: () => void;
}

export function EntryDialog({ open, root, folder, onAct, onMoved }: EntryDialogProps) {
  const onClose = () => void (open.value = undefined);
  if (open.value === undefined) return null;
  const { what, entries } = open.value;
  if (what === 'new') return <NewFolder folder={folder} onClose={onClose} />;
  const [entry] = entries;
  if (entry === undefined) return null;
  const about = { folder, entry, onClose };
  switch (what) {
    case 'move':
    case 'copy':
      return (
        <MoveDialog
          act={what}
          root={root}
          folder={folder}
          names={entries.map(({ name }) => name)}
          onClose={onClose}
          onMoved={onMoved}
        />
      );
    case 'compress':
      return <Compress folder={folder} entries={entries} onClose={onClose} />;
    case 'extract':
      return <Extract {...about} />;
    case 'rename':
      return <Rename {...about} />;
    case 'mode':
      return <ModeDialog {...about} />;
    case 'edit':
      return <Editor {...about} />;
    case 'details': {
      const act = (next: Act) => {
        onClose();
        onAct(next, entry);
      };
      return <Details {...about} onAct={act} />;
    }
  }
}
