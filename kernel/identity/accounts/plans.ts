import { fail } from '../../errors.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';
import { LIMITS } from '../../config/limits.ts';
import { endLostScopes } from '../gate/api-tokens/token-endings.ts';
import type { Revision } from '../../store/revision.ts';
import { placesForRows } from '../../kit/placeholders.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';

/** An immutable snapshot of a plan; a change replaces it. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  /** Values of all limits of the installed plugins, by name; 0 is unlimited. */
  readonly limits: Readonly<Record<string, number>>;
  readonly features: ReadonlySet<string>;
}

/** The author of a change, for the log; the command line has neither name nor address. */
export interface Actor {
  readonly username: string;
  readonly ip: string;
}
const COMMAND_LINE: Actor = { username: '', ip: '' };

/** Description and limits to set; what is left out stays, or gets its default in a new plan. */
export type PlanChange = Partial<Pick<Plan, 'description' | 'limits'>>;

/** A plan to add. */
export type NewPlan = readonly [name: string, change: PlanChange, features: readonly string[]];

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Reads and changes plans. Each change logs its event in one transaction, and invalidates everything cached. */
export class Plans {
  readonly #store: Store;
  readonly #revision: Revision;
  readonly #events: AuditLog;
  readonly #catalogue: ReadonlySet<string>;
  #cache: { generation: number; plans: Map<string, Plan> } | undefined;

  constructor(store: Store, revision: Revision, events: AuditLog, catalogue: ReadonlySet<string>) {
    this.#store = store;
    this.#revision = revision;
    this.#events = events;
    this.#catalogue = catalogue;
  }

  /** Resolves with all plans by name. There are only a few, so all are read together and cached until one changes. */
  async all(): Promise<ReadonlyMap<string, Plan>> {
    const { generation } = this.#revision;
    if (this.#cache?.generation === generation) return this.#cache.plans;
    const plans = await readPlans(this.#store);
    if (generation === this.#revision.generation) this.#cache = { generation, plans };
    return plans;
  }

  /** Errors: 404 `plan_not_found`. */
  async get(name: string): Promise<Plan> {
    return (await this.all()).get(name) ?? missing(name);
  }

  /** Errors: 409 `plan_exists`, 400 for a bad name, an unknown limit or a feature that is not in the catalogue. */
  async create(name: string, change: PlanChange, features: readonly string[], by = COMMAND_LINE): Promise<void> {
    this.#assertNew(name, change, features);
    return this.#change(async (tx) => {
      if (await tx.get('select 1 from plans where name = ?', name))
        throw fail.plan_exists(`the plan ${name} already exists`);
      await this.#add(tx, name, change, features, by);
    });
  }

  /** Adds plans to a store that has none, all or nothing: another process may do so at the same moment. Errors: 400 as `create`. */
  async ship(plans: readonly NewPlan[]): Promise<void> {
    for (const [name, change, features] of plans) this.#assertNew(name, change, features);
    return this.#change(async (tx) => {
      if (await tx.get('select 1 from plans')) return;
      for (const [name, change, features] of plans) await this.#add(tx, name, change, features, COMMAND_LINE);
    });
  }

  /** Changes what is given and keeps the rest. Errors: 404 `plan_not_found`, 400 for an unknown limit. */
  async update(name: string, change: PlanChange, by = COMMAND_LINE): Promise<void> {
    assertLimits(change);
    return this.#change(async (tx) => {
      await assertPlanExists(tx, name);
      if (change.description !== undefined)
        await tx.run('update plans set description = ? where name = ?', change.description, name);
      await setLimits(tx, name, change);
      await this.#events.record(tx, {
        type: 'plan.changed',
        ...by,
        text: `changed the plan ${name}`,
        data: { plan: name, ...change },
      });
    });
  }

  /** Errors: 404 `plan_not_found`, 409 `plan_in_use`. */
  remove(name: string, by = COMMAND_LINE): Promise<void> {
    return this.#change(async (tx) => {
      await assertPlanExists(tx, name);
      if (await tx.get('select 1 from accounts where plan = ?', name))
        throw fail.plan_in_use(`accounts still use the plan ${name}`);
      await tx.run('delete from plans where name = ?', name);
      await this.#events.record(tx, {
        type: 'plan.removed',
        ...by,
        text: `removed the plan ${name}`,
        data: { plan: name },
      });
    });
  }

  /** Switches a feature for all accounts of the plan. Errors: 404 `plan_not_found`, 400 for an unknown feature. */
  async setFeature(name: string, feature: string, on: boolean, by = COMMAND_LINE): Promise<void> {
    this.assertFeature(feature);
    return this.#change(async (tx) => {
      await assertPlanExists(tx, name);
      const { changes } = await tx.run(
        on
          ? 'insert into plan_features values (?, ?) on conflict do nothing'
          : 'delete from plan_features where plan = ? and feature = ?',
        name,
        feature,
      );
      if (changes === 0) return;
      const text = `switched the feature ${feature} of the plan ${name} ${on ? 'on' : 'off'}`;
      await this.#events.record(tx, { type: 'feature.toggled', ...by, text, data: { plan: name, feature, on } });
      if (!on) await endLostScopes(tx, this.#events, { plan: name }, by.ip);
    });
  }

  /** Throws unless the catalogue has the feature. Errors: 400 `invalid_request`. */
  assertFeature(feature: string): void {
    if (!this.#catalogue.has(feature))
      throw fail.invalid_request(`there is no feature ${feature}: no features.json describes it`);
  }

  #assertNew(name: string, change: PlanChange, features: readonly string[]): void {
    if (!NAME.test(name))
      throw fail.invalid_request('a plan name has 1 to 32 characters of a-z, 0-9, _ and -, and begins with a letter');
    for (const feature of features) this.assertFeature(feature);
    assertLimits(change);
  }

  async #add(tx: Tx, name: string, change: PlanChange, features: readonly string[], by: Actor): Promise<void> {
    await tx.run('insert into plans (name, description) values (?, ?)', name, change.description ?? '');
    await setLimits(tx, name, change);
    const distinct = [...new Set(features)];
    if (distinct.length > 0)
      await tx.run(
        `insert into plan_features values ${placesForRows(distinct.length, 2)}`,
        ...distinct.flatMap((feature) => [name, feature]),
      );
    await this.#events.record(tx, {
      type: 'plan.created',
      ...by,
      text: `created the plan ${name}`,
      data: { plan: name },
    });
  }

  #change(work: (tx: Tx) => Promise<void>): Promise<void> {
    return this.#revision.mutate(work, () => (this.#revision.generation += 1));
  }
}

/** Errors: 404 `plan_not_found`. */
export async function assertPlanExists(tx: Tx, name: string): Promise<void> {
  if ((await tx.get('select 1 from plans where name = ?', name)) === undefined) missing(name);
}

function missing(name: string): never {
  throw fail.plan_not_found(`there is no plan ${name}`);
}

/** Throws for a limit that no plugin describes. Errors: 400 `invalid_request`. */
function assertLimits({ limits = {} }: PlanChange): void {
  const unknown = Object.keys(limits).find((name) => LIMITS.every((limit) => limit.name !== name));
  if (unknown !== undefined) throw fail.invalid_request(`there is no limit ${unknown}: no limits.json describes it`);
}

async function setLimits(tx: Tx, plan: string, { limits = {} }: PlanChange): Promise<void> {
  const rows = Object.entries(limits).map(([name, value]) => [plan, name, value]);
  if (rows.length > 0)
    await tx.run(
      `insert into plan_limits (plan, name, value) values ${placesForRows(rows.length, 3)}
       on conflict (plan, name) do update set value = excluded.value`,
      ...rows.flat(),
    );
}

/** Reads all in one statement, so that a plan is never seen half changed. */
async function readPlans(reader: Reader): Promise<Map<string, Plan>> {
  const rows = await reader.all<{ name: string; description: string; features: string; limits: string }>(
    `select name, description,
       coalesce((select string_agg(feature, ' ' order by feature) from plan_features where plan = plans.name), '') as features,
       coalesce((select string_agg(l.name || ' ' || l.value, ',') from plan_limits l where plan = plans.name), '') as limits
     from plans order by name`,
  );
  return new Map(
    rows.map(({ name, description, features, limits }) => {
      const values = new Map(limits.split(',').map((each) => each.split(' ') as [string, string]));
      return [
        name,
        {
          name,
          description,
          limits: Object.fromEntries(LIMITS.map((each) => [each.name, Number(values.get(each.name) ?? each.default)])),
          features: new Set(features === '' ? [] : features.split(' ')),
        },
      ];
    }),
  );
}
