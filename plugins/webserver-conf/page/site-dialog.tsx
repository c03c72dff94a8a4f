import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  Dialog,
  Field,
  LinesField,
  linesIn,
  Select,
  t,
  toast,
  toUnicode,
} from '../../pages/kit/index.ts';
import type { Settings, Site } from './replies.ts';

interface SiteDialogProps {
  readonly settings: Settings;
  readonly site: Site;
  readonly onClose: () => void;
}

const KINDS = ['pages', 'styles', 'scripts', 'images', 'fonts', 'media', 'documents'] as const;
/** Seconds that are offered. */
const TIMES = [0, 3600, 86_400, 604_800, 2_592_000, 31_536_000] as const;

const formOf = ({ index_files, caching, headers, folder_listing, upload_mib }: Site) => ({
  index: index_files.join(' '),
  /** By kind, the seconds; empty for those of which browsers decide. */
  caching: Object.fromEntries(caching.map(({ kind, seconds }) => [kind, String(seconds)])),
  headers: headers.map(({ name, value }) => `${name}: ${value}`).join('\n'),
  listsFolders: folder_listing,
  upload: upload_mib === null ? '' : String(upload_mib),
});
type Form = ReturnType<typeof formOf>;

function bodyOf({ index, caching, headers, listsFolders, upload }: Form) {
  return {
    index_files: index.split(/[\s,]+/).filter((name) => name !== ''),
    caching: KINDS.flatMap((kind) => (caching[kind] ? [{ kind, seconds: Number(caching[kind]) }] : [])),
    headers: linesIn(headers).map((line) => {
      const [name = '', ...value] = line.split(':');
      return { name: name.trim(), value: value.join(':').trim() };
    }),
    folder_listing: listsFolders,
    upload_mib: upload === '' ? null : Number(upload),
  };
}

/** How a site is served. */
export function SiteDialog({ settings, site, onClose }: SiteDialogProps) {
  const { domain_url: domain } = site;
  const { upload_limit_mib: largest, offers_folder_listing: offersListing } = settings;
  const form = useSignal(formOf(site));
  const set = (change: Partial<Form>) => void (form.value = { ...form.value, ...change });
  const { index, headers, listsFolders, upload } = form.value;
  const fits = upload === '' || (/^[1-9]\d{0,5}$/.test(upload) && Number(upload) <= largest);
  const save = async () => {
    await api('PUT /api/site-settings/:domain', { params: { domain }, body: bodyOf(form.value) });
    toast(t('webserver-conf.saved', { name: toUnicode(domain) }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('webserver-conf.edit', { name: toUnicode(domain) })}
      onClose={onClose}
      isLarge
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: !fits }}
    >
      <Field
        label={t('webserver-conf.index')}
        hint={t('webserver-conf.indexHint')}
        {...{ autocapitalize: 'none', autocomplete: 'off', spellcheck: false }}
        value={index}
        onChange={(value) => set({ index: value })}
      />
      <Caching of={form.value.caching} onChange={(caching) => set({ caching })} />
      <LinesField
        isMono
        label={t('webserver-conf.headers')}
        hint={t('webserver-conf.headersHint')}
        value={headers}
        onChange={(value) => set({ headers: value })}
      />
      <Field
        label={t('webserver-conf.upload')}
        hint={t('webserver-conf.uploadHint')}
        inputMode="numeric"
        autocomplete="off"
        value={upload}
        onChange={(value) => set({ upload: value.trim() })}
        fault={fits ? undefined : t('webserver-conf.uploadFault', { largest })}
      />
      {(offersListing || listsFolders) && (
        <label class="row">
          <input
            type="checkbox"
            checked={listsFolders}
            onChange={(event) => set({ listsFolders: event.currentTarget.checked })}
          />
          <span class="wrap">{t('webserver-conf.listing')}</span>
        </label>
      )}
    </Dialog>
  );
}

interface CachingProps {
  readonly of: Form['caching'];
  readonly onChange: (caching: Form['caching']) => void;
}

/** How long browsers keep each kind of files. */
function Caching({ of: caching, onChange }: CachingProps) {
  return (
    <fieldset class="field">
      <legend>{t('webserver-conf.caching')}</legend>
      <div class="grid">
        {KINDS.map((kind) => {
          const chosen = caching[kind] ?? '';
          const seconds = [...new Set<number>([...TIMES, ...(chosen === '' ? [] : [Number(chosen)])])].toSorted(
            (a, b) => a - b,
          );
          return (
            <Select
              key={kind}
              label={t(`webserver-conf.kind.${kind}`)}
              value={chosen}
              of={[['', t('webserver-conf.unset')], ...seconds.map((each) => [String(each), timeText(each)] as const)]}
              onChange={(value) => onChange({ ...caching, [kind]: value })}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

function timeText(seconds: number): string {
  const known = TIMES.find((each) => each === seconds);
  return known === undefined ? t('webserver-conf.seconds', { seconds }) : t(`webserver-conf.time.${known}`);
}
