import type { Plan } from '../../../kernel/identity/accounts/plans.ts';
import {
  assertChange,
  type CommandContext,
  type CommandGroup,
  type CommandOption,
  type OptionValues,
} from '../../../kernel/contract/command.ts';
import { textTable } from '../../../kernel/kit/format.ts';
import { PlanLimits } from '../../../kernel/contract/plan-limits.ts';
import { NEW_PLAN } from '../plans.ts';
import { PlanBody, PlanChange } from '../schema.ts';
import { fail } from '../../../kernel/errors.ts';

const LIMITS = Object.keys(PlanLimits.properties) as (keyof PlanLimits)[];
const LIMIT_OPTIONS = LIMITS.map((name): CommandOption => {
  const { type, description = '' } = PlanLimits.properties[name];
  const isNumber = type !== 'string';
  return { flags: `--${name.replaceAll('_', '-')} <${isNumber ? 'number' : 'text'}>`, summary: description, isNumber };
});

/** The values of a new plan. */
const NONE: Plan = { ...NEW_PLAN, name: '', features: new Set() };

/** `hostkeep plan …` */
export const planCommands: CommandGroup = {
  name: 'plan',
  summary: 'plans and their limits',
  commands: [
    { usage: 'list', summary: 'list all plans', run: list },
    { usage: 'show <name>', summary: 'show the limits and features of a plan', run: show },
    { usage: 'diff <name> <other>', summary: 'show how two plans differ', run: diff },
    {
      usage: 'add <name>',
      summary: 'add a plan; a limit that is not given is 0 = unlimited, except --names-limit, which is 500',
      options: [
        { flags: '--from <plan>', summary: 'plan to copy limits and features from, instead' },
        { flags: '--features <names>', summary: 'its features, separated by commas; see `hostkeep feature list`' },
        ...LIMIT_OPTIONS,
      ],
      run: add,
    },
    {
      usage: 'set <name>',
      summary: 'change limits of a plan; they hold from the next request on',
      options: LIMIT_OPTIONS,
      run: set,
    },
    {
      usage: 'remove <name>',
      summary: 'remove a plan that no account uses',
      asks: ([name = '']) => `Remove the plan ${name}?`,
      run: remove,
    },
  ],
};

/** The limits among the options, whose names are in camel case: `--cpu-limit` is `cpuLimit`. */
function limitsOf(options: OptionValues): Partial<PlanLimits> {
  const optionOf = (limit: string) => limit.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const given = LIMITS.map((name) => [name, options[optionOf(name)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function list(context: CommandContext) {
  return context.withStore(async ({ identity: { plans } }) => {
    const all = [...(await plans.all()).values()];
    const rows = all.map((plan) => [
      plan.name,
      ...[plan.cpu_limit, plan.ram_limit_mib, plan.disk_limit_mib, plan.domains_limit, plan.features.size].map(String),
      plan.description,
    ]);
    const head = ['PLAN', 'CPUS', 'RAM MIB', 'DISK MIB', 'DOMAINS', 'FEATURES', 'DESCRIPTION'];
    return { value: all.map(describe), text: textTable(head, rows) };
  });
}

function show(context: CommandContext, [name = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    const value = describe(await plans.get(name));
    const lines = Object.entries(value).map(
      ([key, each]) => `${key}: ${Array.isArray(each) ? each.join(', ') : String(each)}`,
    );
    return { value, text: lines.join('\n') };
  });
}

function diff(context: CommandContext, [name = '', other = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    const [a, b] = [await plans.get(name), await plans.get(other)];
    const limits = LIMITS.filter((limit) => a[limit] !== b[limit]).map((limit) => [limit, a[limit], b[limit]] as const);
    const all = new Set([...a.features, ...b.features]);
    const features = [...all].filter((feature) => a.features.has(feature) !== b.features.has(feature)).toSorted();
    const onOrOff = (plan: Plan, feature: string) => (plan.features.has(feature) ? 'on' : 'off');
    const rows = [
      ...limits.map((limit) => limit.map(String)),
      ...features.map((feature) => [`feature ${feature}`, onOrOff(a, feature), onOrOff(b, feature)]),
    ];
    return {
      value: {
        limits: Object.fromEntries(limits.map(([limit, ...values]) => [limit, values])),
        features: Object.fromEntries(features.map((each) => [each, [a.features.has(each), b.features.has(each)]])),
      },
      text: rows.length === 0 ? `${name} and ${other} do not differ` : textTable(['', name, other], rows),
    };
  });
}

function add(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  const { from, features: list } = options;
  return context.withStore(async ({ identity: { plans } }) => {
    const given = typeof list === 'string' ? { features: list.split(',').filter((each) => each !== '') } : {};
    const { name: checked, features, ...limits } = context.checked(PlanBody, { name, ...limitsOf(options), ...given });
    const { name: _, features: copied, ...copy } = typeof from === 'string' ? await plans.get(from) : NONE;
    await plans.create(checked, { ...copy, ...limits }, features ?? [...copied]);
    return { value: describe(await plans.get(name)), text: `added plan ${name}` };
  });
}

function set(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  return context.withStore(async ({ identity: { plans } }) => {
    const given = limitsOf(options);
    if (Object.keys(given).length === 0)
      throw fail.invalid_request('nothing to change: give a limit, such as --cpu-limit');
    const limits = context.checked(PlanChange, given);
    const before = await plans.get(name);
    const names = Object.keys(limits) as (keyof PlanLimits)[];
    assertChange(
      names.some((limit) => limits[limit] !== before[limit]),
      `${name} has these limits already`,
    );
    await plans.update(name, limits);
    return { value: describe(await plans.get(name)), text: `changed plan ${name}` };
  });
}

function remove(context: CommandContext, [name = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    await plans.remove(name);
    return { value: { name, removed: true }, text: `removed plan ${name}` };
  });
}

function describe({ features, ...limits }: Plan) {
  return { ...limits, features: [...features].toSorted() };
}
