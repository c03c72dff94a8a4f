/** Commands for administrators on the node, with or without a running server. */
import { defineCommands } from '../../kernel/contract/command.ts';
import { accountCommands } from './commands/account.ts';
import { sessionCommands } from './commands/session.ts';

export default defineCommands(accountCommands, sessionCommands);
