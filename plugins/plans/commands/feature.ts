import {
  assertChange,
  type Command,
  type CommandContext,
  type CommandGroup,
} from '../../../kernel/contract/command.ts';
import { warnIfUnprovided } from '../../../kernel/contract/node-info.ts';
import { textTable } from '../../../kernel/kit/format.ts';
import { fail } from '../../../kernel/errors.ts';

const TARGETS = [
  { flags: '--plan <name>', summary: 'for all accounts of a plan' },
  { flags: '--account <username>', summary: 'for one account', conflicts: 'plan' },
];

/** `hostkeep feature …` */
export const featureCommands: CommandGroup = {
  name: 'feature',
  summary: 'features, switched for a plan or an account while the server runs',
  commands: [
    { usage: 'list', summary: 'list the catalogue of features', run: list },
    { usage: 'on <feature>', summary: 'switch a feature on', options: TARGETS, run: toggle(true) },
    { usage: 'off <feature>', summary: 'switch a feature off', options: TARGETS, run: toggle(false) },
    {
      usage: 'inherit <feature>',
      summary: 'leave a feature of an account to its plan again',
      options: [{ flags: '--account <username>', summary: 'the account', isRequired: true }],
      run: toggle(undefined),
    },
  ],
};

async function list({ locales }: CommandContext) {
  const features = locales.features('en');
  const rows = features.map(({ name, title, description }) => [name, title, description]);
  return { value: features, text: textTable(['FEATURE', 'TITLE', 'DESCRIPTION'], rows) };
}

/** `undefined` leaves the feature to the plan. */
function toggle(on: boolean | undefined): Command['run'] {
  const state = on === undefined ? 'as the plan says' : on ? 'on' : 'off';
  return async (context, [feature = ''], { plan, account }) => {
    const switched = await context.withStore(async ({ identity: { plans, accounts } }) => {
      const isSame = (before: boolean | undefined, target: string) =>
        assertChange(before !== on, `${feature} is ${state} for ${target} already`);
      plans.assertFeature(feature);
      if (typeof account === 'string') {
        isSame((await accounts.get(account)).overrides[feature], account);
        await accounts.setFeature(account, feature, on);
      } else if (typeof plan === 'string' && on !== undefined) {
        isSame((await plans.get(plan)).features.has(feature), `plan ${plan}`);
        await plans.setFeature(plan, feature, on);
      } else throw fail.invalid_request('give --plan <name> or --account <username>');
      const target = typeof account === 'string' ? account : `plan ${plan}`;
      return { value: { feature, on: on ?? null, plan, account }, text: `${feature} is ${state} for ${target}` };
    });
    if (on !== true) return switched;
    const warning = await context.withPlugins(async ({ node }) => warnIfUnprovided(node, feature));
    const text = warning === null ? switched.text : `${switched.text}\nwarning: ${warning}`;
    return { value: { ...switched.value, warning }, text };
  };
}
