import type { ComponentChildren } from 'preact';
import { PageHead, t, Tabs } from '../../pages/kit/index.ts';

const TABS = [
  ['/plugins', 'operations.plugins'],
  ['/plugins/doctor', 'operations.doctor'],
  ['/plugins/settings', 'operations.settings'],
] as const;

/** The head of the pages about what the server does, lacks, and is told to do. */
export function PluginHead({ children }: { readonly children?: ComponentChildren }) {
  return (
    <>
      <PageHead title={t('operations.plugins')} about={t('operations.pluginsAbout')}>
        {children}
      </PageHead>
      <Tabs label={t('operations.plugins')} of={TABS.map(([path, title]) => [path, t(title)] as const)} />
    </>
  );
}
