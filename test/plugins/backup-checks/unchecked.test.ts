import * as assert from '../../support/assert.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { Checks } from '../../../plugins/backup-checks/checks.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('backups that are not checked');

test('a check that others or a removal come before has no outcome, and is no failure', async () => {
  const logged: unknown[] = [];
  const host = {
    config: { restored_mib: 1 },
    jobs: { open: () => undefined },
    log: { error: (line: unknown) => logged.push(line) },
  };
  for (const code of ['account_not_found', 'backups_busy']) {
    const error = new HttpError(code, 'not now');
    const backups = { restic: {}, withRepository: () => Promise.reject(error) };
    const checks = new Checks(
      host as unknown as ConstructorParameters<typeof Checks>[0],
      backups as unknown as ConstructorParameters<typeof Checks>[1],
    );
    const account = { username: 'ann' } as Parameters<typeof checks.check>[0];
    assert.is(await checks.check(account).catch((cause: unknown) => cause), error);
  }
  assert.equal(logged, []);
});
