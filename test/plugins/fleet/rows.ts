import type { PluginRows } from '../../support/plugin-rows.ts';

const BY_ITSELF = 'a node by itself is drained to no other; the tests of the fleet send it';
const NODE = {
  name: 'n1',
  address: '192.0.2.10:7443',
  state: 'up',
  draining: false,
  version: '0.1.0',
  seen_seconds_ago: 3,
  accounts: 412,
  urls: { user: 'https://192.0.2.10:2083', admin: 'https://192.0.2.10:2087' },
  sample: { cpu: 12.5, memory: 48.2, disk: 61 },
};

const rows: PluginRows = {
  unwalked: { drain: BY_ITSELF, undrain: BY_ITSELF },
  answered: 'anywhere',
  bounded: { show: 'the nodes of the fleet, some hundred bytes each' },
  examples: {
    invented: {
      drain: { ...NODE, state: 'draining', draining: true },
      undrain: NODE,
      show: { node: 'n1', nodes: [NODE] },
    },
  },
};
export default rows;
