import type { StoreEngine } from '../../kernel/store/store.ts';
import { PostgresEngine } from './postgres-engine.ts';

/** The store in a schema of PostgreSQL, which several nodes may share. */
export default {
  protocols: ['postgres:', 'postgresql:'],
  open: (options) => new PostgresEngine(options),
} satisfies StoreEngine;
