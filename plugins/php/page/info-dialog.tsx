import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Dialog,
  Empty,
  SearchInput,
  t,
  toUnicode,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Section = ReplyOf<'GET /api/php/sites/:domain/info'>['sections'][number];

interface InfoDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The sections of phpinfo() for a domain. */
export function InfoDialog({ name, onClose }: InfoDialogProps) {
  const info = useQuery(`phpinfo of ${name}`, (signal) =>
    api('GET /api/php/sites/:domain/info', { params: { domain: name }, signal }),
  );
  const wanted = useSignal('');
  return (
    <Dialog title={t('php.infoOf', { name: toUnicode(name) })} isLarge onClose={onClose}>
      <Answer of={info} lines={10}>
        {({ sections }) => (
          <>
            <SearchInput label={t('php.infoSearch')} value={wanted.value} onChange={(text) => (wanted.value = text)} />
            <Sections of={matching(sections, wanted.value.trim().toLowerCase())} />
          </>
        )}
      </Answer>
    </Dialog>
  );
}

function matching(sections: readonly Section[], text: string): readonly Section[] {
  if (text === '') return sections;
  return sections
    .map(({ title, rows }) => ({
      title,
      rows: title.toLowerCase().includes(text) ? rows : rows.filter(({ name }) => name.toLowerCase().includes(text)),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function Sections({ of }: { readonly of: readonly Section[] }) {
  if (of.length === 0) return <Empty icon="search" title={t('php.infoNone')} />;
  return (
    <>
      {of.map(({ title, rows }, at) => (
        <div key={at}>
          <h3>{title}</h3>
          <div class="table-frame" tabIndex={0} role="group" aria-label={title}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{t('php.infoName')}</th>
                  <th scope="col">{t('php.infoLocal')}</th>
                  <th scope="col">{t('php.infoMaster')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ name, local, master }, i) => (
                  <tr key={i}>
                    <td class="wrap">{name}</td>
                    <td class="wrap">{local}</td>
                    <td class="wrap">{master ?? ''}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      ))}
    </>
  );
}
