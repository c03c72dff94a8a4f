/** What an operator of a node lives through: servers that are killed, and a node that is lost. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, storedNames, USER } from './packages.ts';
import { Client } from './client.ts';
import { discardMachines, Machine } from './machine.ts';
import { assertNone } from '../support/lists.ts';

const KILLS = 3;
/** How long a code of an authenticator app is shown. */
const STEP_MS = 30_000;
const BACKUPS = 'var/lib/hostkeep/backups';

/** A customer with an authenticator app. */
class SecondFactor {
  static readonly #username = 'ann';
  readonly #password: string;
  readonly #secret: string;
  readonly recoveryCode: string;

  private constructor(password: string, secret: string, recoveryCode: string) {
    this.#password = password;
    this.#secret = secret;
    this.recoveryCode = recoveryCode;
  }

  static async setUp(on: Machine): Promise<SecondFactor> {
    const added = await on.run(`hostkeep account add ${this.#username} --plan developer --json`);
    const { password } = JSON.parse(added) as { password: string };
    const own = await on.login(USER, this.#username, password);
    const post = async <T>(path: string, body: unknown) => {
      const { status, text } = await on.ask(`${USER}/api/account/2fa/${path}`, { token: own, body });
      assert.is(status, 200, text);
      return JSON.parse(text) as T;
    };
    const { secret } = await post<{ secret: string }>('setup', { password });
    const code = new TOTP({ secret }).generate();
    const { recovery_codes: codes } = await post<{ recovery_codes: string[] }>('confirm', { code });
    return new SecondFactor(password, secret, codes[0] ?? '');
  }

  /** What the app shows now, or later. */
  code(laterMs = 0): string {
    return new TOTP({ secret: this.#secret }).generate({ timestamp: Date.now() + laterMs });
  }

  logIn(on: Machine, code?: string) {
    const body = { username: SecondFactor.#username, password: this.#password, twofa_code: code };
    return on.ask(`${USER}/api/login`, { body });
  }
}

const test = testSuite('node: operation');
let machine: Machine;
let token: string;

const mainPid = async () => (await machine.run('systemctl show -p MainPID --value hostkeep')).trim();
const isReady = async (on: Machine) => (await on.ask(`${ADMIN}/readyz`)).status === 200;

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  token = await firstAdministrator(machine);
});
test.after(discardMachines);

test('no write that was answered is lost when the service is killed again and again', async () => {
  const client = await Client.start(machine, token);
  const plans = async () => (await storedNames(machine, 'plans')).length;
  for (let n = 0; n < KILLS; n++) {
    const before = await plans();
    // the client writes one after another, so that the first of two was answered
    await until('a write was answered', async () => (await plans()) >= before + 2);
    const pid = await mainPid();
    await machine.run(`kill -9 ${pid}`);
    await until('systemd has started it again', async () => (await mainPid()) !== pid && isReady(machine));
  }
  const { added } = await client.stop();
  assert.ok(added.length > 0);
  const found = await storedNames(machine, 'plans');
  assertNone(added, (name) => !found.includes(name));
});

test('a killed worker is replaced; the operator sets the number of workers', async () => {
  const folder = '/etc/systemd/system/hostkeep.service.d';
  await machine.run(`mkdir ${folder} && cat >${folder}/workers.conf`, '[Service]\nEnvironment=HOSTKEEP_WORKERS=3\n');
  await machine.run('systemctl daemon-reload && systemctl restart hostkeep');
  const pid = await mainPid();
  const timesComplete = async () =>
    ((await machine.run(`journalctl -o cat _PID=${pid}`)).match(/all workers serve/g) ?? []).length;
  await until('all workers serve', async () => (await timesComplete()) === 1);
  const workers = (await machine.run(`cat /proc/${pid}/task/${pid}/children`)).trim().split(' ');
  assert.is(workers.length, 3);
  await machine.run(`kill -9 ${workers[0]}`);
  await until('it is replaced', async () => (await timesComplete()) === 2);
  assert.is(await mainPid(), pid);
  assert.is(`${(JSON.parse(await machine.run('hostkeep status --json')) as { pid: number }).pid}`, pid);
  assert.match(await machine.run('hostkeep reload'), /^the configuration was reloaded\n/);
  await machine.run(`rm -r ${folder} && systemctl daemon-reload && systemctl restart hostkeep`);
  await until('it serves', () => isReady(machine));
});

test('the journal tells warnings and errors from the rest', async () => {
  const { code, output } = await machine.try('hostkeep restore /root/nothing.tar');
  assert.is(code, 1);
  assert.match(output, /EACCES.*; the command has the rights of the user hostkeep$/m);
  await machine.run('cp /etc/hostkeep/hostkeep.json /root/ && echo "{ \\"quota\\": 5 }" >/etc/hostkeep/hostkeep.json');
  assert.is((await machine.try('hostkeep reload')).code, 1);
  await machine.run('cp /root/hostkeep.json /etc/hostkeep/');
  const errors = await machine.run('journalctl -u hostkeep -p err -o cat --no-pager');
  assert.match(errors, /^\{"level":"error".*the configuration was not changed/m);
  assert.not.match(errors, /"level":"info"/);
  assert.match(await machine.run('hostkeep events --limit 1'), /\] The operator had the configuration reloaded/);
});

test('a backup comes back on another node, with its tokens and second factors', async () => {
  const ann = await SecondFactor.setUp(machine);
  const spent = ann.code(STEP_MS);
  const { token: own } = JSON.parse((await ann.logIn(machine, spent)).text) as { token: string };
  await machine.run('systemctl start hostkeep-backup.service');
  const [backup = ''] = readdirSync(join(machine.root, BACKUPS));
  const other = await Machine.boot();
  await install(other, PACKAGE);
  const file = other.take(join(machine.root, BACKUPS, backup));
  await other.run(`install -o hostkeep -m 0600 ${file} /var/lib/hostkeep/backup.tar && systemctl stop hostkeep`);
  await other.run('hostkeep restore /var/lib/hostkeep/backup.tar && systemctl start hostkeep');
  await until('the other node serves', () => isReady(other));
  assert.is((await other.ask(`${ADMIN}/api/accounts`, { token })).status, 200, 'a token of the lost node');
  assert.equal(await storedNames(other, 'plans'), await storedNames(machine, 'plans'));
  await until('customers are served', async () => (await other.ask(`${USER}/readyz`)).status === 200);
  assert.is((await other.ask(`${USER}/api/dashboard`, { token: own })).status, 200, "a customer's token");
  const errorOf = async (code: string) => (JSON.parse((await ann.logIn(other, code)).text) as { error?: string }).error;
  assert.match((await ann.logIn(other)).text, /"twofa_required":true/);
  assert.is(await errorOf(spent), 'invalid_credentials', 'a code counts once, also on another node');
  await until('the app shows another code', () => ann.code(STEP_MS) !== spent);
  assert.is((await ann.logIn(other, ann.code(STEP_MS))).status, 200);
  assert.is((await ann.logIn(other, ann.recoveryCode)).status, 200);
  assert.is(await errorOf(ann.recoveryCode), 'invalid_credentials');
});
