import { assertAudiences, assertNoInheritance, assertSuspensions, assertToggles } from './access-changes.ts';
import { byRoute } from '../../support/plugin-rows.ts';
import type { Part } from '../part.ts';
import { IsolationHarness, type RecordedReply } from './isolation-harness.ts';

/** Rounds of concurrent reads by both tenants in the whole attack. */
const ROUNDS = 40;
export const isolation: Part = {
  title:
    'two accounts and an administrator on every route: neither account reads, changes or infers the data of the other',
  async run(share, seed) {
    const harness = await IsolationHarness.start();
    try {
      return await attack(harness, Math.max(1, Math.round(ROUNDS * share)));
    } catch (error) {
      throw new Error(
        `seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${harness.target.failure() ?? ''}`,
        { cause: error },
      );
    } finally {
      await harness.stop();
    }
  },
};

async function attack(harness: IsolationHarness, rounds: number): Promise<string[]> {
  const { owner, stranger } = harness;
  const recorded = await harness.ownAnswers(owner);
  await assertMarked(recorded, owner.mark);
  const compared = await harness.compareNames();
  await harness.assertSame(owner, recorded, 'after a stranger named all its things');
  for (let round = 0; round < rounds; round += 1) {
    const strangersRecorded = await harness.ownAnswers(stranger);
    await Promise.all([
      harness.assertSame(owner, recorded, 'beside a stranger'),
      harness.assertSame(stranger, strangersRecorded, 'beside a stranger'),
    ]);
    await Promise.all([
      harness.assertSame(owner, recorded, 'while a stranger names all its things'),
      harness.compareNames(),
    ]);
  }
  const audiences = await assertAudiences(harness);
  const toggles = await assertToggles(harness, rounds, recorded);
  const suspensions = await assertSuspensions(harness, Math.ceil(rounds / 4), recorded);
  await assertNoInheritance(harness);
  await harness.assertSame(owner, recorded, 'at the end');
  await harness.compareLogins();
  const failure = harness.target.failure();
  if (failure !== undefined) throw new Error(failure);
  return [
    `${harness.coverage.requests} requests by two accounts and an administrator for ${harness.operations.length} operations`,
    `${compared * (rounds + 1)} pairs of requests for another's thing and a missing one, with identical replies`,
    `${rounds} rounds of concurrent reads by both accounts, ${audiences} requests with a token of the other role`,
    `${toggles} feature toggles, ${suspensions} suspensions, each effective for the next request`,
  ];
}

/** Rejects if a reply without its owner's mark is in no plugin's row: its disclosure to another account would go unnoticed. */
async function assertMarked(answers: readonly RecordedReply[], mark: string): Promise<void> {
  const unmarked = new Set(answers.map(({ request: { operation } }) => operation.id.slice('user '.length)));
  for (const {
    request: { operation },
    text,
  } of answers)
    if (text.startsWith('200 ') && text.includes(mark)) unmarked.delete(operation.id.slice('user '.length));
  const listed = await byRoute(({ isolation: { unmarked: routes } = {} }) => routes);
  const unexpected = [...unmarked].filter((id) => !listed.has(id));
  if (unexpected.length > 0) throw new Error(`replies without their owner's mark: ${unexpected.join(', ')}`);
}
