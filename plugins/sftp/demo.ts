import { hoursBefore, type DemoContext } from '../../kernel/contract/points/demo.ts';
import { newPassword } from '../../kernel/kit/new-password.ts';
import type { Store } from '../../kernel/store/store.ts';
import { loginPrefix } from './logins.ts';
import { hashPassword } from './passwords.ts';
import { readPublicKeyLine } from './public-key.ts';
import { noteLastLogin, putLogins, type StoredLogin } from './store.ts';

/** Of a private key that was thrown away. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJnj4kl9QpYiq9zQwIGvLvhfXG2OMBSurTB2r6MPNrjM deploy@ci.example';

/** Adds the logins of the demo's customer, with a key and a password that nobody knows. */
export async function fillDemo({ demo, now }: DemoContext, store: Store): Promise<void> {
  const login = (suffix: string, folder: string, hours: number): StoredLogin => ({
    ...{ id: 0, accountId: demo.id, name: `${loginPrefix(demo)}${suffix}`, folder: [folder] },
    ...{ secret: null, keys: [], createdAt: hoursBefore(now, hours), lastLoginAt: null, lastLoginFrom: null },
  });
  const garden = login('garden', 'sunny-garden.example', 700);
  const key = { ...readPublicKeyLine(KEY), id: 0, createdAt: garden.createdAt };
  const cafe = { ...login('mila', 'harbour-cafe.example', 300), secret: await hashPassword(newPassword()) };
  await store.write(async (tx) => {
    await putLogins(tx, demo.id, [{ ...garden, keys: [key] }, cafe]);
    await noteLastLogin(tx, { login: garden.name, at: hoursBefore(now, 9), address: '203.0.113.20' });
  });
}
