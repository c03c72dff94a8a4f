import { api, Badge, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { PathsDialog } from './paths-dialog.tsx';
import type { Site } from './replies.ts';

type Path = Site['paths'][number];

const TONES = { served: 'good', stopped: 'warn', unreachable: 'bad', missing: 'bad' } as const;

export default function ProxiedPathsPage() {
  return (
    <SitesPage
      title={t('proxied-paths.title')}
      about={t('proxied-paths.about')}
      icon="box"
      of={useQuery('proxied-paths', (signal) => api('GET /api/proxied-paths', { signal }))}
      columns={[
        {
          name: 'paths',
          title: t('proxied-paths.paths'),
          by: ({ paths }) => paths.length,
          cell: ({ paths }) => (paths.length === 0 ? '–' : paths.map((each) => <PathLine key={each.path} of={each} />)),
        },
      ]}
      buttons={[
        {
          icon: 'edit',
          label: (name) => t('proxied-paths.edit', { name }),
          opens: (site, onClose, sites) => <PathsDialog sites={sites} site={site} onClose={onClose} />,
        },
      ]}
    />
  );
}

function PathLine({ of: { path, container, port, state } }: { readonly of: Path }) {
  return (
    <p class="row">
      <code class="wrap">{path}</code>
      <span class="wrap">
        {container}:{port}
      </span>
      <Badge tone={TONES[state as keyof typeof TONES]}>{t(`proxied-paths.state.${state as keyof typeof TONES}`)}</Badge>
    </p>
  );
}
