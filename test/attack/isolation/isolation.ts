import { assertAudiences, assertRebirth, assertSuspensions, assertToggles } from './access-changes.ts';
import type { Part } from '../part.ts';
import { IsolationHarness, type RecordedReply } from './isolation-harness.ts';

/** Rounds of everybody asking everything at once in the whole attack. */
const ROUNDS = 40;
/** Reads that bear no mark of whose they are, and why. */
const UNMARKED: ReadonlyMap<string, string> = new Map([
  ['account.loginHistory', 'addresses and times'],
  ['account.twofa', 'yes or no'],
  ['account.languages', 'languages of the server'],
  ['containers.stats', 'figures'],
  ['databases.usage', 'a number'],
  ['databases.size', 'a figure'],
  ['hosting.info', 'the server'],
  ['hosting.plan', 'limits'],
  ['hosting.plan.2', 'limits'],
  ['hosting.ports', 'numbers'],
  ['hosting.ports.2', 'numbers'],
  ['quota.usage', 'figures'],
  ['quota.size', 'figures'],
  ['search.features', 'features of the server'],
]);

/** Two accounts and an admin over every route. */
export const isolation: Part = {
  title: 'two accounts and an admin over every route: nothing of one is read, changed or deduced by another',
  async run(share, seed = 0) {
    const harness = await IsolationHarness.set();
    try {
      return await attack(harness, Math.max(1, Math.round(ROUNDS * share)));
    } catch (error) {
      throw new Error(
        `seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${harness.target.failure() ?? ''}`,
        { cause: error },
      );
    } finally {
      await harness.target.stop();
    }
  },
};

async function attack(harness: IsolationHarness, rounds: number): Promise<string[]> {
  const { owner, stranger } = harness;
  const owners = await harness.ownAnswers(owner);
  assertMarked(owners, owner.mark);
  const compared = await harness.compareNames();
  await harness.assertSame(owner, owners, 'after a stranger named all that is its');
  for (let round = 0; round < rounds; round += 1) {
    const strangers = await harness.ownAnswers(stranger);
    await Promise.all([
      harness.assertSame(owner, owners, 'beside a stranger'),
      harness.assertSame(stranger, strangers, 'beside a stranger'),
    ]);
    await Promise.all([
      harness.assertSame(owner, owners, 'while a stranger names all that is its'),
      harness.compareNames(),
    ]);
  }
  const audiences = await assertAudiences(harness);
  const toggles = await assertToggles(harness, rounds, owners);
  const suspensions = await assertSuspensions(harness, Math.ceil(rounds / 4), owners);
  await assertRebirth(harness);
  await harness.assertSame(owner, owners, 'at the end');
  await harness.compareLogins();
  const failure = harness.target.failure();
  if (failure !== undefined) throw new Error(failure);
  return [
    `${harness.coverage.requests} requests by two accounts and an admin for ${harness.operations.length} operations`,
    `${compared * (rounds + 1)} times a thing of another's and one of nobody's named, and answered alike byte for byte`,
    `${rounds} rounds of both accounts asking everything at once, ${audiences} tries with a token of the other role`,
    `${toggles} features switched off and on again, ${suspensions} suspensions, each in force for the next request`,
  ];
}

/** What bears no mark could be told to anybody unnoticed; so it is known what that is. */
function assertMarked(answers: readonly RecordedReply[], mark: string): void {
  const blind = new Set(answers.map(({ request: { operation } }) => operation.id.slice('user '.length)));
  for (const {
    request: { operation },
    text,
  } of answers)
    if (text.startsWith('200 ') && text.includes(mark)) blind.delete(operation.id.slice('user '.length));
  const unexpected = [...blind].filter((id) => !UNMARKED.has(id));
  if (unexpected.length > 0) throw new Error(`answers without a mark of their owner: ${unexpected.join(', ')}`);
}
