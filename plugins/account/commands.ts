import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/plugin-api/command.ts';
import { unlock } from './login/unlock.ts';

export default defineCommands({
  name: 'account',
  summary: 'accounts of customers and administrators',
  commands: [
    {
      usage: 'unlock <username>',
      summary: 'forget the failed logins of an account, so that its owner can log in at once',
      options: [
        { flags: '--from <address>', summary: 'address of the owner, from which the account is not locked again' },
      ],
      run: (context: CommandContext, [username = '']: readonly string[], { from = '' }: OptionValues) =>
        context.withStore(async (open) => {
          const value = await unlock(open, username, { by: null, ip: '', from: String(from) });
          return { value, text: `${username} is unlocked` };
        }),
    },
  ],
});
