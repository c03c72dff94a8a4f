import type { ComponentChildren } from 'preact';
import { PageHead, t, Tabs } from '../../../pages/kit/index.ts';

const TABS = [
  ['/plugins', 'control.plugins'],
  ['/plugins/doctor', 'control.doctor'],
  ['/plugins/settings', 'control.settings'],
] as const;

/** The head of the pages about what the server does, lacks, and is told to do. */
export function PluginHead({ children }: { readonly children?: ComponentChildren }) {
  return (
    <>
      <PageHead title={t('control.plugins')} about={t('control.pluginsAbout')}>
        {children}
      </PageHead>
      <Tabs label={t('control.plugins')} of={TABS.map(([path, title]) => [path, t(title)] as const)} />
    </>
  );
}
