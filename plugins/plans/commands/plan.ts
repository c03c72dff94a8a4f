import type { Plan, PlanChange as Change } from '../../../kernel/identity/accounts/plans.ts';
import {
  assertChange,
  type CommandContext,
  type CommandGroup,
  type CommandOption,
  type OptionValues,
} from '../../../kernel/contract/command.ts';
import { textTable } from '../../../kernel/kit/format.ts';
import { LIMITS } from '../../../kernel/contract/plan-limits.ts';
import { PlanBody, PlanChange } from '../schema.ts';
import { fail } from '../../../kernel/errors.ts';

const OPTIONS: readonly CommandOption[] = [
  { flags: '--description <text>', summary: 'what the plan is for, in a few words' },
  ...LIMITS.map(({ name, title, unit, default: value }) => ({
    flags: `--${name.replaceAll('_', '-')} <number>`,
    summary: `${title}${unit && ` in ${unit}`}; 0 = unlimited${value === 0 ? '' : `; ${value} in new plans`}`,
    isNumber: true,
  })),
];

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
      summary: 'add a plan; a limit that is not given has its default',
      options: [
        { flags: '--from <plan>', summary: 'plan to copy limits and features from, instead' },
        { flags: '--features <names>', summary: 'its features, separated by commas; see `hostkeep feature list`' },
        ...OPTIONS,
      ],
      run: add,
    },
    {
      usage: 'set <name>',
      summary: 'change limits of a plan; they hold from the next request on',
      options: OPTIONS,
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

/** Reads what the options change; their names are in camel case: `--cpu-limit` is `cpuLimit`. */
function readChange({ description, ...options }: OptionValues): { description?: unknown; limits?: unknown } {
  const optionName = (limit: string) => limit.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const limits = LIMITS.flatMap(({ name }) => {
    const value = options[optionName(name)];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(description !== undefined && { description }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

function list(context: CommandContext) {
  return context.withStore(async ({ identity: { plans } }) => {
    const all = [...(await plans.all()).values()];
    const rows = all.map(({ name, limits, features }) => [
      name,
      ...LIMITS.map((limit) => String(limits[limit.name])),
      String(features.size),
    ]);
    const limitNames = LIMITS.map(({ name }) => name.replace('_limit', '').replaceAll('_', ' ').toUpperCase());
    const head = ['PLAN', ...limitNames, 'FEATURES'];
    return { value: all.map(describe), text: textTable(head, rows) };
  });
}

function show(context: CommandContext, [name = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    const value = describe(await plans.get(name));
    const { limits, features, ...texts } = value;
    const lines = Object.entries({ ...texts, ...limits, features: features.join(', ') }).map(
      ([key, each]) => `${key}: ${each}`,
    );
    return { value, text: lines.join('\n') };
  });
}

function diff(context: CommandContext, [name = '', other = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    const [a, b] = [await plans.get(name), await plans.get(other)];
    const limits = LIMITS.map(({ name: limit }) => [limit, a.limits[limit], b.limits[limit]] as const).filter(
      ([, ofA, ofB]) => ofA !== ofB,
    );
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
    const {
      name: checked,
      features,
      ...change
    } = context.checked(PlanBody, { name, ...readChange(options), ...given });
    const copied: Partial<Plan> = typeof from === 'string' ? await plans.get(from) : {};
    const limits = { ...copied.limits, ...change.limits };
    const description = change.description ?? copied.description ?? '';
    await plans.create(checked, { description, limits }, features ?? [...(copied.features ?? [])]);
    return { value: describe(await plans.get(name)), text: `added plan ${name}` };
  });
}

function set(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  return context.withStore(async ({ identity: { plans } }) => {
    const given = readChange(options);
    if (Object.keys(given).length === 0) throw fail.invalid_request('nothing to change: give a limit or --description');
    const change: Change = context.checked(PlanChange, given);
    const before = await plans.get(name);
    const { description = before.description, limits = {} } = change;
    assertChange(
      description !== before.description ||
        Object.entries(limits).some(([limit, value]) => value !== before.limits[limit]),
      `${name} has these limits already`,
    );
    await plans.update(name, change);
    return { value: describe(await plans.get(name)), text: `changed plan ${name}` };
  });
}

function remove(context: CommandContext, [name = '']: readonly string[]) {
  return context.withStore(async ({ identity: { plans } }) => {
    await plans.remove(name);
    return { value: { name, removed: true }, text: `removed plan ${name}` };
  });
}

function describe({ features, ...rest }: Plan) {
  return { ...rest, features: [...features].toSorted() };
}
