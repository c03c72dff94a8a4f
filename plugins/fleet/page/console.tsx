import { api, defineArea, ownNode, pathAt, t } from '../../pages/kit/index.ts';
import { NodeSwitch } from './node-switch.tsx';

export default defineArea({
  name: 'fleet',
  order: 5,
  pages: [
    {
      path: '/fleet',
      title: 'fleet.title',
      icon: 'servers',
      isHidden: () => ownNode() === '',
      load: () => import('./fleet-page.tsx'),
    },
  ],
  inBar: NodeSwitch,
  find: {
    features: [],
    by: async (text) => {
      if (ownNode() === '') return [];
      const { nodes } = await api('GET /api/fleet');
      return nodes
        .filter(({ name }) => name.includes(text.toLowerCase()))
        .map(({ name, state }) => ({
          group: 'fleet.nodes',
          icon: 'servers',
          title: name,
          detail: t(`fleet.state.${state}`),
          link: pathAt('/'),
          node: name,
        }));
    },
  },
});
