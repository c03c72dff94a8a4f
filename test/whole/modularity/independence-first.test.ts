import { independenceTests } from './independence.ts';

await independenceTests(0);
