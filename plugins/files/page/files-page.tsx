import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  CopyButton,
  Empty,
  Icon,
  mayUse,
  PageHead,
  Panel,
  send,
  t,
  toastError,
  useQuery,
} from '../../pages/kit/index.ts';

/** Features of which one lets an account measure folders; their route is of another plugin. */
const SIZES = ['disk_usage', 'inodes'];

export default function FilesPage() {
  return (
    <>
      <PageHead title={t('files.title')} about={t('files.about')} />
      <Card isFlush>
        <div class="dialog-body tree">
          <Folders path="" isRoot />
        </div>
      </Card>
    </>
  );
}

function Folders({ path, isRoot }: { readonly path: string; readonly isRoot?: boolean }) {
  const listing = useQuery(`folders ${path}`, (signal) =>
    path === ''
      ? api('GET /api/folders', { signal })
      : api('GET /api/folders/*path', { params: { path: path.slice(1) }, signal }),
  );
  return (
    <Answer of={listing} lines={isRoot === true ? 6 : 2}>
      {({ folders, path: own, truncated }) => (
        <>
          {isRoot === true && <Line path={own} name={own} isRoot />}
          {folders.length === 0 && isRoot === true && (
            <Empty icon="folder" title={t('files.none')}>
              {t('files.noneAbout')}
            </Empty>
          )}
          <ul aria-label={t('files.in', { path: own })}>
            {folders.map((folder) => (
              <Folder key={folder.path} {...folder} />
            ))}
          </ul>
          {truncated && <Panel icon="info" title={t('files.truncated')} />}
        </>
      )}
    </Answer>
  );
}

interface FolderProps {
  readonly name: string;
  readonly path: string;
  readonly has_subfolders: boolean;
}

function Folder({ name, path, has_subfolders: hasMore }: FolderProps) {
  const isOpen = useSignal(false);
  return (
    <li>
      <Line
        name={name}
        path={path}
        {...(hasMore && { isOpen: isOpen.value, onToggle: () => void (isOpen.value = !isOpen.value) })}
      />
      {isOpen.value && <Folders path={path} />}
    </li>
  );
}

interface LineProps {
  readonly name: string;
  readonly path: string;
  readonly isRoot?: boolean;
  readonly isOpen?: boolean;
  readonly onToggle?: () => void;
}

function Line({ name, path, isRoot, isOpen, onToggle }: LineProps) {
  return (
    <div class="tree-line">
      {onToggle === undefined ? (
        <>
          <Icon name="folder" />
          <span class="name wrap">{name}</span>
        </>
      ) : (
        <button type="button" class="toggle name" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen === true ? 'down' : 'right'} />
          <Icon name="folder" />
          <span class="wrap">{name}</span>
        </button>
      )}
      {mayUse(SIZES) && <Size path={path} name={name} />}
      <CopyButton text={path} what={isRoot === true ? t('files.path') : t('files.pathOf', { name })} />
    </div>
  );
}

/** The size of a folder, measured when asked for: that may take a while. */
function Size({ path, name }: { readonly path: string; readonly name: string }) {
  const state = useSignal<{ readonly isBusy: boolean; readonly size?: string }>({ isBusy: false });
  const measure = async () => {
    state.value = { isBusy: true };
    try {
      const reply = await send(`/api/directory-size?folder=${encodeURIComponent(path)}`);
      state.value = { isBusy: false, size: ((await reply.json()) as { size: string }).size };
    } catch (error) {
      state.value = { isBusy: false };
      toastError(error);
    }
  };
  const { size, isBusy } = state.value;
  if (size !== undefined) return <span class="small soft number">{size}</span>;
  return (
    <Button kind="plain" isSmall isBusy={isBusy} label={t('files.sizeOf', { name })} onClick={measure}>
      {t('files.size')}
    </Button>
  );
}
