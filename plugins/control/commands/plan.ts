import { HttpError } from '../../../kernel/errors.ts';
import type { Plan } from '../../../kernel/identity/plans.ts';
import {
  textTable,
  type CommandContext,
  type CommandGroup,
  type CommandOption,
  type OptionValues,
} from '../../../kernel/plugin-api/command.ts';
import { PlanLimits } from '../../../kernel/plugin-api/plan-limits.ts';

const LIMITS = Object.keys(PlanLimits.properties) as (keyof PlanLimits)[];
const LIMIT_OPTIONS = LIMITS.map((name): CommandOption => {
  const { type, description = '' } = PlanLimits.properties[name];
  const isNumber = type !== 'string';
  return { flags: `--${name.replaceAll('_', '-')} <${isNumber ? 'number' : 'text'}>`, summary: description, isNumber };
});

/** `hostkeep plan …` */
export const planCommands: CommandGroup = {
  name: 'plan',
  summary: 'plans and their limits',
  commands: [
    { usage: 'list', summary: 'list all plans', run: list },
    { usage: 'show <name>', summary: 'show the limits and features of a plan', run: show },
    {
      usage: 'add <name>',
      summary: 'add a plan like another one',
      options: [
        { flags: '--from <plan>', summary: 'plan to copy limits and features from', default: 'basic' },
        ...LIMIT_OPTIONS,
      ],
      run: add,
    },
    {
      usage: 'set <name>',
      summary: 'change limits; they hold from the next request on',
      options: LIMIT_OPTIONS,
      run: set,
    },
    { usage: 'remove <name>', summary: 'remove a plan that no account uses', run: remove },
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

function add(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  return context.withStore(async ({ identity: { plans } }) => {
    const { name: _, features, ...limits } = await plans.get(String(options['from']));
    await plans.create(name, { ...limits, ...limitsOf(options) }, [...features]);
    return { value: describe(await plans.get(name)), text: `added plan ${name}` };
  });
}

function set(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  return context.withStore(async ({ identity: { plans } }) => {
    const limits = limitsOf(options);
    if (Object.keys(limits).length === 0)
      throw new HttpError('invalid_request', 'nothing to change: give a limit, such as --cpu-limit');
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
