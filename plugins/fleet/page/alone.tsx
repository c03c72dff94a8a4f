import { CopyButton, Empty, t } from '../../pages/kit/index.ts';

const STEPS = [
  ['fleet.begin.store', 'hostkeep store copy --to postgres://hostkeep@db.example/hostkeep'],
  ['fleet.begin.init', 'hostkeep fleet init --name one --listen 192.0.2.10:7443'],
  ['fleet.begin.invite', 'hostkeep fleet invite'],
  ['fleet.begin.join', 'hostkeep fleet join --name two --listen 192.0.2.11:7443'],
] as const;

/** Explains fleets, and how this server becomes the first node of one. */
export function Alone() {
  return (
    <>
      <Empty icon="servers" title={t('fleet.alone')}>
        {t('fleet.aloneAbout')}
      </Empty>
      <ol class="stack">
        {STEPS.map(([about, command], i) => (
          <li key={command} class="stack tight">
            <span>
              {i + 1}. {t(about)}
            </span>
            <span class="row nowrap">
              <code class="wrap">{command}</code>
              <CopyButton text={command} what={t('fleet.command')} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
