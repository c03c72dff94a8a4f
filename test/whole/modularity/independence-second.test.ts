import { independenceTests } from './independence.ts';

independenceTests(1);
