import { assertChange, defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { unlock } from './throttle/unlock.ts';
import { tokenCommands } from './tokens/commands.ts';
import { removeSecondFactor } from './twofa/reset.ts';
import { Twofa } from './twofa/twofa.ts';

export default defineCommands(
  {
    name: 'account',
    summary: 'accounts of customers and administrators',
    commands: [
      {
        usage: 'unlock <username>',
        summary: 'forget the failed logins of an account, so that its owner can log in at once',
        options: [
          { flags: '--from <address>', summary: 'address of the owner, from which the account is not locked again' },
        ],
        run: unlockAccount,
      },
    ],
  },
  {
    name: '2fa',
    summary: 'two-factor authentication',
    commands: [
      {
        usage: 'reset <username>',
        summary: 'remove the second factor of an account whose owner has lost it, and end its sessions',
        asks: ([username = '']) =>
          `Remove the second factor of ${username}? The password alone opens the account then, until a new one is set up.`,
        run: resetSecondFactor,
      },
    ],
  },
  tokenCommands,
);

function unlockAccount(context: CommandContext, [username = '']: readonly string[], { from = '' }: OptionValues) {
  return context.withStore(async (open) => {
    const value = await unlock(open, username, { by: null, ip: '', from: String(from) });
    return { value, text: `${username} is unlocked` };
  });
}

function resetSecondFactor(context: CommandContext, [username = '']: readonly string[]) {
  return context.withStore(async ({ identity, events, store }) => {
    const account = await identity.accounts.get(username);
    const twofa = new Twofa({ store, identity }, '');
    const wasEnabled = await removeSecondFactor({ identity, events }, twofa, account, { by: null, ip: '' });
    assertChange(wasEnabled, `${username} has no second factor`);
    return { value: { username, enabled: false }, text: `the second factor of ${username} is removed` };
  });
}
