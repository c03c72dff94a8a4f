import { Command, InvalidArgumentError, Option } from 'commander';
import { HttpError } from '../errors.ts';
import { PlanLimits } from '../identity/plan-limits.ts';
import type { Plan } from '../identity/plans.ts';
import { print, table, withCore, type GlobalOptions } from './command-context.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly plan?: string;
  readonly account?: string;
  readonly from?: string;
  readonly [limit: string]: unknown;
}

/** Texts of a plan that are not limits. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'mysql', 'webserver']);
const LIMITS = Object.keys(PlanLimits.properties) as (keyof PlanLimits)[];

/** `hostkeep plan …` */
export function planCommand(): Command {
  const plan = new Command('plan').description('plans and their limits');
  plan.command('list').description('all plans').option('--json').action(listPlans);
  plan.command('show <name>').description('limits and features of a plan').option('--json').action(showPlan);
  withLimits(
    plan
      .command('add <name>')
      .description('adds a plan like another one')
      .option('--from <plan>', 'plan to copy limits and features from', 'basic'),
  ).action(addPlan);
  withLimits(plan.command('set <name>').description('changes limits; they hold from the next request on')).action(
    setPlan,
  );
  plan
    .command('remove <name>')
    .description('removes a plan that no account uses')
    .action((name: string, _: Options, command: Command) =>
      withCore(command.optsWithGlobals<Options>(), async ({ plans }) => {
        await plans.remove(name);
        print(false, undefined, `removed plan ${name}`);
      }),
    );
  return plan;
}

/** `hostkeep feature …` */
export function featureCommand(): Command {
  const feature = new Command('feature').description(
    'features, switched for a plan or an account while the server runs',
  );
  feature.command('list').description('the catalogue of features').option('--json').action(listFeatures);
  const target = (command: Command) =>
    command
      .addOption(new Option('--plan <name>', 'for all accounts of a plan'))
      .addOption(new Option('--account <username>', 'for one account').conflicts('plan'));
  target(feature.command('on <feature>').description('switches a feature on')).action(toggle(true));
  target(feature.command('off <feature>').description('switches a feature off')).action(toggle(false));
  feature
    .command('inherit <feature>')
    .description('leaves a feature of an account to its plan again')
    .requiredOption('--account <username>')
    .action(toggle(undefined));
  return feature;
}

function withLimits(command: Command): Command {
  for (const name of LIMITS) {
    const isText = TEXTS.has(name);
    const option = new Option(
      `--${name.replaceAll('_', '-')} <${isText ? 'text' : 'number'}>`,
      PlanLimits.properties[name].description ?? '',
    );
    command.addOption(isText ? option : option.argParser(numberOf));
  }
  return command;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('a number of at least 0');
  return value;
}

/** The limits that the command line names; commander writes `--cpu-limit` as `cpuLimit`. */
function limitsOf(options: Options): Partial<PlanLimits> {
  const given = LIMITS.map(
    (name) => [name, options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function listPlans(_: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ plans }) => {
    const all = [...(await plans.all()).values()];
    const rows = all.map((plan) => [
      plan.name,
      String(plan.cpu_limit),
      String(plan.ram_limit_mib),
      String(plan.disk_limit_mib),
      String(plan.domains_limit),
      String(plan.features.size),
      plan.description,
    ]);
    print(
      options.json,
      all.map(describe),
      table(['PLAN', 'CPUS', 'RAM MIB', 'DISK MIB', 'DOMAINS', 'FEATURES', 'DESCRIPTION'], rows),
    );
  });
}

async function showPlan(name: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ plans }) => {
    const shown = describe(await plans.get(name));
    print(
      options.json,
      shown,
      Object.entries(shown)
        .map(([key, value]) => `${key}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
        .join('\n'),
    );
  });
}

async function addPlan(name: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ plans }) => {
    const { name: __, features, ...limits } = await plans.get(options.from ?? 'basic');
    await plans.create(name, { ...limits, ...limitsOf(options) }, [...features]);
    print(false, undefined, `added plan ${name}`);
  });
}

async function setPlan(name: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ plans }) => {
    await plans.update(name, limitsOf(options));
    print(false, undefined, `changed plan ${name}`);
  });
}

async function listFeatures(_: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ locales }) => {
    const features = locales.features('en');
    print(
      options.json,
      features,
      table(
        ['FEATURE', 'TITLE', 'DESCRIPTION'],
        features.map(({ name, title, description }) => [name, title, description]),
      ),
    );
  });
}

function toggle(on: boolean | undefined) {
  return async (feature: string, _: Options, command: Command): Promise<void> => {
    const options = command.optsWithGlobals<Options>();
    const { plan, account } = options;
    await withCore(options, async ({ plans, accounts }) => {
      if (account !== undefined) await accounts.setFeature(account, feature, on);
      else if (plan !== undefined && on !== undefined) await plans.setFeature(plan, feature, on);
      else throw new HttpError('invalid_request', 'name a --plan or an --account');
    });
    print(
      false,
      undefined,
      `${feature} is ${on === undefined ? 'as the plan says' : on ? 'on' : 'off'} for ${account ?? `plan ${plan}`}`,
    );
  };
}

function describe({ features, ...limits }: Plan): Record<string, unknown> {
  return { ...limits, features: [...features].toSorted() };
}
