/** Commands for plans and features, with or without a running server. */
import { defineCommands } from '../../kernel/contract/command.ts';
import { featureCommands } from './commands/feature.ts';
import { planCommands } from './commands/plan.ts';

export default defineCommands(planCommands, featureCommands);
