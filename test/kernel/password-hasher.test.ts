/** The threads that hash passwords. */
import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { PasswordHasher } from '../../kernel/identity/gate/password-hasher.ts';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('PasswordHasher');

test('hashing yields to requests, and not to all that runs on the node', async () => {
  const priorities = () => new Set(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread))));
  assert.equal([...priorities()], [getPriority()]);
  const hasher = new PasswordHasher();
  try {
    assert.ok(await hasher.verify('correct horse', await hasher.hash('correct horse')));
    const below = Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5);
    assert.equal([...priorities()].toSorted(), [getPriority(), below].toSorted());
  } finally {
    await hasher.close();
  }
});
