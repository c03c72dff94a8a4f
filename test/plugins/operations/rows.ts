import type { PluginRows } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';

const rows: PluginRows = {
  answered: 'node',
  bounded: { plugins: PRODUCT, doctor: PRODUCT },
  pages: { '/console/plugins': [], '/console/plugins/doctor': [] },
  examples: {
    invented: {
      doctor: {
        at: '2026-11-20T09:30:00.000Z',
        findings: [
          { plugin: 'kernel', name: 'store', state: 'ok', detail: '/var/lib/hostkeep/hostkeep.db', remedy: null },
          {
            plugin: 'containers',
            name: 'container engine',
            state: 'warn',
            detail: 'the engine at /var/run/docker.sock failed to answer /version: connect ENOENT',
            remedy: 'apt-get install docker.io and start dockerd, or set containers.socket (empty = no engine)',
          },
        ],
      },
    },
  },
};
export default rows;
