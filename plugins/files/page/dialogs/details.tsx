import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  Answer,
  Button,
  bytes,
  CopyButton,
  Dialog,
  fileRemover,
  mayUse,
  t,
  Time,
  transfer,
  useQuery,
  type IconName,
} from '../../../pages/kit/index.ts';
import { ARCHIVE, contentPath, isEditable, pictureType, SCALED, thumbnailPath, type Entry } from '../place.ts';

export type Act =
  'download' | 'edit' | 'rename' | 'move' | 'copy' | 'compress' | 'extract' | 'repair' | 'mode' | 'remove';
interface DetailsProps {
  readonly folder: string;
  readonly entry: Entry;
  readonly onAct: (act: Act) => void;
  readonly onClose: () => void;
}

const ICONS: Readonly<Record<Act, IconName>> = {
  download: 'download',
  edit: 'edit',
  rename: 'edit',
  move: 'folder',
  copy: 'copy',
  compress: 'box',
  extract: 'open',
  repair: 'shield',
  mode: 'lock',
  remove: 'trash',
};

/** Returns what can be done with an entry; a link is neither followed nor given permissions. */
function actsFor(entry: Entry): readonly Act[] {
  return [
    ...(entry.kind === 'file' || entry.kind === 'folder' ? (['download'] as const) : []),
    ...(isEditable(entry) ? (['edit'] as const) : []),
    ...(['rename', 'move'] as const),
    ...(entry.kind === 'other' ? [] : (['copy', 'compress'] as const)),
    ...(entry.kind === 'file' && ARCHIVE.test(entry.name) ? (['extract'] as const) : []),
    ...(entry.kind === 'file' || entry.kind === 'folder' ? (['mode'] as const) : []),
    ...(entry.kind === 'folder' && mayUse(['fix_permissions']) ? (['repair'] as const) : []),
    ...(fileRemover() === undefined ? [] : (['remove'] as const)),
  ];
}

/** All about an entry, all that can be done with it, and what it shows if it is a picture. */
export function Details({ folder, entry, onAct, onClose }: DetailsProps) {
  const path = `${folder}/${entry.name}`;
  const type = pictureType(entry);
  return (
    <Dialog title={entry.name} isLarge={type !== undefined} onClose={onClose}>
      {type !== undefined && <Picture path={path} type={type} name={entry.name} />}
      <dl class="facts">
        <dt>{t('files.path')}</dt>
        <dd class="row">
          <code class="wrap">{path}</code>
          <CopyButton text={path} what={t('files.path')} />
        </dd>
        <dt>{t('files.kind')}</dt>
        <dd>{t(`files.kind.${entry.kind}`)}</dd>
        {entry.kind === 'file' && (
          <>
            <dt>{t('files.size')}</dt>
            <dd>{bytes(entry.size_bytes)}</dd>
          </>
        )}
        <dt>{t('files.modified')}</dt>
        <dd>
          <Time at={entry.modified_at} />
        </dd>
        <dt>{t('files.mode')}</dt>
        <dd>
          <code>{entry.mode}</code>
        </dd>
      </dl>
      <div class="row">
        {actsFor(entry).map((act) => (
          <Button key={act} isSmall icon={ICONS[act]} onClick={() => onAct(act)}>
            {t(`files.act.${act}`)}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

/** Shows a small picture of one that the server can scale, and the original when it is asked for. */
function Picture({ path, type, name }: { readonly path: string; readonly type: string; readonly name: string }) {
  const isOriginal = useSignal(!SCALED.test(type));
  const [from, as] = isOriginal.value ? [contentPath(path), type] : [thumbnailPath(path), 'image/webp'];
  const picture = useQuery(`picture ${from}`, async (signal) => {
    const content = await transfer(from, { method: 'GET', signal });
    return URL.createObjectURL(new Blob([content], { type: as }));
  });
  const { data: url } = picture;
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url]);
  return (
    <div class="stack tight">
      <Answer of={picture} lines={6}>
        {(shown) => <img class="preview" src={shown} alt={t('files.pictureOf', { name })} />}
      </Answer>
      {!isOriginal.value && (
        <div>
          <Button isSmall icon="picture" onClick={() => void (isOriginal.value = true)}>
            {t('files.showOriginal')}
          </Button>
        </div>
      )}
    </div>
  );
}
