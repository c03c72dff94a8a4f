import type * as Undici from 'undici';
import type { FleetNode, NodeConnection } from '../../../kernel/contract/points/fleet-node.ts';
import type { Membership } from '../../../kernel/contract/node-info.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import { isDown } from '../state.ts';
import type { SeenMember } from '../store.ts';
import { reach, trustIn } from './trust.ts';

const loadUndici = lazyPackage<typeof Undici>('undici', import.meta.url);

/** Returns a member as other plugins know it; `own` is the membership of this node. */
export function fleetNode(own: Membership, member: SeenMember): FleetNode {
  return {
    name: member.name,
    isDown: isDown(member),
    isDraining: member.isDraining,
    reach: () => reach(own, member),
    connect({ connectMs, answerMs }): NodeConnection {
      const client = new (loadUndici().Client)(`https://${member.address}`, {
        headersTimeout: answerMs,
        bodyTimeout: answerMs,
        connect: { ...trustIn(own, 'direct', member), timeout: connectMs } as object,
      });
      return {
        async request(request) {
          const { statusCode, body } = await client.request(request as Undici.Dispatcher.RequestOptions);
          return { status: statusCode, text: await body.text() };
        },
        close: () => client.destroy(),
      };
    },
  };
}
