import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../kernel/errors.ts';
import { readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { MODES, MOST_EXCLUDED, RULE_IDS, sumsUp, TAG, type SiteWaf } from './site-waf.ts';

const directives: SiteDirectives<SiteWaf> = {
  read(part) {
    const { mode, excludedIds, excludedTags } = readMembers(part, ['mode', 'excludedIds', 'excludedTags']);
    const known = MODES.find((each) => each === mode);
    if (known === undefined) throw fail.invalid_request('there is no such mode');
    return {
      mode: known,
      excludedIds: readList(excludedIds, MOST_EXCLUDED, (item) => {
        const id = readInteger(item, RULE_IDS.smallest, RULE_IDS.largest);
        if (sumsUp(id)) throw fail.invalid_request('a rule that sums up others cannot be left out');
        return id;
      }),
      excludedTags: readList(excludedTags, MOST_EXCLUDED, (tag) => readText(tag, TAG)),
    };
  },
  // The rules themselves are loaded once, for all sites. No request chooses the name of the server by which the log tells them apart.
  nginx: ({ mode, excludedIds, excludedTags }) =>
    mode === 'off'
      ? []
      : [
          'modsecurity on;',
          'modsecurity_transaction_id "$server_name/$msec/$request_id";',
          "modsecurity_rules '",
          `    SecRuleEngine ${mode === 'on' ? 'On' : 'DetectionOnly'}`,
          ...excludedIds.map((id) => `    SecRuleRemoveById ${id}`),
          ...excludedTags.map((tag) => `    SecRuleRemoveByTag ${tag}`),
          "';",
        ],
  caddy: () => [], // has no such module
};
export default directives;
