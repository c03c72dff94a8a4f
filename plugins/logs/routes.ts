import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import * as schema from './schema.ts';

const ERRORS = ['domain_not_found'] as const;

export const routes = {
  list: {
    method: 'GET',
    path: '/api/logs',
    at: 'home',
    summary: 'List the logs of the domains of the account',
    description: 'How large they are, and how much and how long the plan keeps.',
    reply: schema.LogList,
  },
  lines: {
    method: 'GET',
    path: '/api/logs/lines',
    at: 'home',
    summary: 'Read the log of a domain, the newest lines first',
    description:
      'A request reads 8 MiB and one second at most, and then answers with the lines that it has found and a cursor. Lines hold what ' +
      'visitors sent: a page that shows them must escape them.',
    query: schema.LinesQuery,
    reply: schema.LogLines,
    errors: ERRORS,
  },
  stream: {
    method: 'GET',
    path: '/api/logs/stream',
    at: 'home',
    summary: 'Follow the log of a domain as server-sent events',
    description:
      'Each event `lines` holds `{lines, skipped}`: lines of the last moments, the oldest first, in the form of the other route, and ' +
      'how many older ones were left out. A client that does not keep up loses lines.',
    query: schema.StreamQuery,
    reply: Type.String(),
    produces: ['text/event-stream'],
    errors: [...ERRORS, 'overloaded'],
  },
  download: {
    method: 'GET',
    path: '/api/logs/download',
    at: 'home',
    summary: 'Download the log of a domain',
    description:
      'All that is kept, the oldest line first. Requests are in the combined format, errors in that of nginx.',
    query: schema.DownloadQuery,
    reply: Type.String(),
    produces: ['text/plain'],
    errors: ERRORS,
  },
  traffic: {
    method: 'GET',
    path: '/api/logs/traffic',
    at: 'home',
    summary: 'Get what the sites of the account have sent in this month',
    description:
      'Counted from the logs of the web server, at most a few seconds late, and compared with the plan. The account is told at 80 ' +
      'and at 100 %.',
    reply: schema.Traffic,
  },
} as const satisfies RouteSpecs;
