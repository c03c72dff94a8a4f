import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  ApiError,
  Button,
  changed,
  Dialog,
  errorText,
  Icon,
  lastName,
  Panel,
  parentFolder,
  t,
  toast,
  useQuery,
} from '../../../pages/kit/index.ts';

interface MoveProps {
  readonly act: 'move' | 'copy';
  readonly root: string;
  readonly folder: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onMoved: () => void;
}

/** Moves or copies files and folders into a folder, which is chosen step by step; says of which that failed. */
export function MoveDialog({ act, root, folder, names, onClose, onMoved }: MoveProps) {
  const target = useSignal(folder);
  const left = useSignal<readonly string[]>(names);
  const failed = useSignal<readonly string[]>([]);
  const copyName = (name: string) => (target.value === folder ? t('files.copyOf', { name }) : name);
  const take = async () => {
    const to = target.value;
    const faults: string[] = [];
    const stay: string[] = [];
    for (const name of left.value)
      try {
        if (act === 'move')
          await api('POST /api/files/move', { body: { from: `${folder}/${name}`, to: `${to}/${name}` } });
        else await api('POST /api/files/copy', { body: { from: `${folder}/${name}`, to: `${to}/${copyName(name)}` } });
      } catch (error) {
        if (!(error instanceof ApiError) || error.isPassing) throw error;
        faults.push(`${name}: ${errorText(error)}`);
        stay.push(name);
      }
    changed();
    const n = left.value.length - stay.length;
    [left.value, failed.value] = [stay, faults];
    if (n > 0 && act === 'move') toast(t('files.wasMoved', { n, to: to === root ? t('files.root') : lastName(to) }));
    if (stay.length > 0) return;
    onMoved();
    onClose();
  };
  return (
    <Dialog
      title={t(`files.${act}Some`, { n: names.length, name: names[0] ?? '' })}
      onClose={onClose}
      onSubmit={take}
      submit={{ text: t(`files.${act}Here`), isDisabled: act === 'move' && target.value === folder }}
    >
      <FolderPicker
        root={root}
        path={target.value}
        without={act === 'move' ? names.map((name) => `${folder}/${name}`) : []}
        onChange={(path) => (target.value = path)}
      />
      {failed.value.length > 0 && (
        <Panel
          kind="bad"
          icon="warn"
          title={t(act === 'move' ? 'files.notMoved' : 'files.notCopied', { n: failed.value.length })}
          isAlert
        >
          <ul>
            {failed.value.map((each) => (
              <li key={each} class="wrap">
                {each}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Dialog>
  );
}

interface PickerProps {
  readonly root: string;
  readonly path: string;
  /** Folders that are not offered. */
  readonly without: readonly string[];
  readonly onChange: (path: string) => void;
}

function FolderPicker({ root, path, without, onChange }: PickerProps) {
  const listing = useQuery(`folders ${path}`, (signal) =>
    api('GET /api/folders/*path', { params: { path: path.slice(1) }, signal }),
  );
  return (
    <>
      <div class="row">
        <Button
          isSmall
          icon="up"
          label={t('files.up')}
          isDisabled={path === root}
          onClick={() => onChange(parentFolder(path))}
        />
        <span class="wrap">{path === root ? t('files.root') : path.slice(root.length + 1)}</span>
      </div>
      <Answer of={listing} lines={4}>
        {({ folders, truncated }) => (
          <>
            <ul class="picker" aria-label={t('files.folders')}>
              {folders
                .filter((each) => !without.includes(each.path))
                .map((each) => (
                  <li key={each.path}>
                    <button type="button" class="button plain" onClick={() => onChange(each.path)}>
                      <Icon name="folder" />
                      <span class="wrap">{each.name}</span>
                    </button>
                  </li>
                ))}
            </ul>
            {folders.length === 0 && <p class="soft">{t('files.noFolders')}</p>}
            {truncated && <p class="soft">{t('files.truncated')}</p>}
          </>
        )}
      </Answer>
    </>
  );
}
