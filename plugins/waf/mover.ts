import type { MovePart } from '../../kernel/contract/points/move-part.ts';
import { rowsMover } from '../../kernel/areas/moves/moved-rows.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { readBoolean, readCount, readList, readMembers, readText, readTime } from '../../kernel/kit/verb-arguments.ts';
import { LONGEST, MOST_RULES, MOST_TAGS, type FoundRule } from './log/entry.ts';
import type { SitesWaf } from './sites-waf.ts';
import { addRequests, forgetAccount, requestsAfter, type MovedRequest } from './store.ts';

/** Takes along what was found, and says that the new home needs a firewall. */
export function movePart(host: Pick<Host, 'local' | 'identity' | 'peer'>, waf: SitesWaf): MovePart {
  return {
    obstacles: () => [],
    leftToDo: async (account, to) => {
      const checked = (await waf.list(account)).filter(({ mode }) => mode !== 'off');
      return checked.length === 0 ? [] : [`see that ${to} has a firewall, which sites of the account use`];
    },
    mover: rowsMover<MovedRequest>(host, {
      what: 'requests that the firewall found',
      list: requestsAfter,
      read: readRequest,
      add: (tx, accountId, { domainId, ...request }) => addRequests(tx, { domainId, accountId }, [request]),
      forget: forgetAccount,
    }),
  };
}

const MEMBERS = ['id', 'domainId', 'at', 'ip', 'method', 'uri', 'status', 'isBlocked', 'rules'] as const;
const text = (value: unknown, longest: number) => readText(value, new RegExp(`^.{0,${longest}}$`, 's'));

function readRequest(value: unknown): MovedRequest {
  const { id, domainId, at, ip, method, uri, status, isBlocked, rules } = readMembers(value, MEMBERS);
  return {
    id: readCount(id),
    domainId: readCount(domainId),
    at: readTime(at),
    ip: text(ip, LONGEST.ip),
    method: text(method, LONGEST.method),
    uri: text(uri, LONGEST.uri),
    status: readCount(status),
    isBlocked: readBoolean(isBlocked),
    rules: readList(rules, MOST_RULES, readRule),
  };
}

function readRule(value: unknown): FoundRule {
  const { id, message, tags } = readMembers(value, ['id', 'message', 'tags']);
  return {
    id: readCount(id),
    message: text(message, LONGEST.message),
    tags: readList(tags, MOST_TAGS, (tag) => text(tag, LONGEST.tag)),
  };
}
