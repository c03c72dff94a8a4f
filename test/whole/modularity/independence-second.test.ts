import { independenceTests } from './independence.ts';

await independenceTests(1);
