import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, mayUse, Select, t, toast, toUnicode } from '../../pages/kit/index.ts';
import type { Php, Site } from './replies.ts';

interface SiteDialogProps {
  readonly php: Php;
  readonly site: Site;
  readonly onClose: () => void;
}

/** A whole number from 1 to a bound. */
const isWithin = (text: string, largest: number, smallest = 1) =>
  /^\d{1,6}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
const SMALLEST_MEMORY_MIB = 16;

/** The version and the options of a domain; each is shown to whom may change it. */
export function SiteDialog({ php: { versions, bounds }, site, onClose }: SiteDialogProps) {
  const { domain_url: name, options } = site;
  const version = useSignal(site.version);
  const form = useSignal({
    memory: String(options.memory_mib),
    upload: String(options.upload_mib),
    seconds: String(options.execution_seconds),
    showsErrors: options.display_errors,
    timezone: options.timezone,
  });
  const { memory, upload, seconds, showsErrors, timezone } = form.value;
  const set = (change: Partial<typeof form.value>) => void (form.value = { ...form.value, ...change });
  const memoryFits = isWithin(memory, bounds.memory_mib, SMALLEST_MEMORY_MIB);
  const fits = memoryFits && isWithin(upload, bounds.upload_mib) && isWithin(seconds, bounds.execution_seconds);
  const save = async () => {
    const params = { domain: name };
    const wanted = {
      memory_mib: Number(memory),
      upload_mib: Number(upload),
      execution_seconds: Number(seconds),
      display_errors: showsErrors,
      timezone: timezone.trim(),
    };
    if (mayUse(['php_options']) && JSON.stringify(wanted) !== JSON.stringify(options))
      await api('PUT /api/php/sites/:domain/options', { params, body: wanted });
    if (mayUse(['php']) && version.value !== site.version)
      await api('PUT /api/php/sites/:domain/version', { params, body: { version: version.value } });
    toast(t('php.saved', { name: toUnicode(name) }));
    changed();
    onClose();
  };
  const field = (key: 'memory' | 'upload' | 'seconds', largest: number, smallest = 1) => (
    <Field
      label={t(`php.${key}`)}
      inputMode="numeric"
      autocomplete="off"
      value={form.value[key]}
      onChange={(value) => set({ [key]: value.trim() })}
      fault={isWithin(form.value[key], largest, smallest) ? undefined : t('php.fault', { smallest, largest })}
    />
  );
  const choices = [...new Set([...versions, site.version])].filter((each) => each !== '');
  return (
    <Dialog
      title={t('php.edit', { name: toUnicode(name) })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: !fits }}
    >
      {mayUse(['php']) && (
        <Select
          label={t('php.version')}
          value={version.value}
          of={[['', t('php.off')], ...choices.map((each) => [each, `PHP ${each}`] as const)]}
          onChange={(value) => (version.value = value)}
        />
      )}
      {mayUse(['php_options']) && (
        <>
          {field('memory', bounds.memory_mib, SMALLEST_MEMORY_MIB)}
          {field('upload', bounds.upload_mib)}
          {field('seconds', bounds.execution_seconds)}
          <Field
            label={t('php.timezone')}
            hint={t('php.timezoneHint')}
            autocomplete="off"
            spellcheck={false}
            value={timezone}
            onChange={(value) => set({ timezone: value })}
          />
          <label class="row">
            <input
              type="checkbox"
              checked={showsErrors}
              onChange={(event) => set({ showsErrors: event.currentTarget.checked })}
            />
            <span class="wrap">{t('php.showsErrors')}</span>
          </label>
        </>
      )}
    </Dialog>
  );
}
