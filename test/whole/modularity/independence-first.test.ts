import { independenceTests } from './independence.ts';

independenceTests(0);
