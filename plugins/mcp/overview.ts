import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { toolName } from './tools.ts';

/** The routes whose replies are resources, because together they show at a glance what the caller has. */
const OVERVIEW: Readonly<Record<Address, readonly string[]>> = {
  user: ['/api/dashboard', '/system/hosting/plan', '/api/disk_inodes', '/api/domains'],
  admin: ['/api/usage/stats', '/api/usage/memory', '/api/usage/disk', '/api/plugins'],
};

export function isOverview({ address, method, paths: [path = ''] }: RouteInfo): boolean {
  return method === 'GET' && OVERVIEW[address].includes(path);
}

export function resourceUri({ paths: [path = ''] }: RouteInfo): string {
  return `hostkeep:${path}`;
}

export function toResource(route: RouteInfo): Resource {
  return { uri: resourceUri(route), name: toolName(route), title: route.summary, mimeType: 'application/json' };
}
