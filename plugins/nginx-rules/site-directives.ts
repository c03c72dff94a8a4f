import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../kernel/errors.ts';
import { assertFaultless } from '../../kernel/kit/line-faults.ts';
import { readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { readRules, REST } from './language/rules.ts';

/** Reads the text of an owner, and writes it anew: nginx reads no text of a customer. */
const directives: SiteDirectives<readonly string[]> = {
  read(part) {
    const { lines, faults } = readRules(readText(readMembers(part, ['text'])['text'], /^[^\0]*$/));
    assertFaultless(faults, '/text', fail.invalid_request);
    return lines.map(({ text }) => text);
  },
  nginx: (lines, { runsPhp }) => [...lines, ...(lines.length === 0 || runsPhp ? [] : REST)],
  caddy: () => [], // has another language
};
export default directives;
