/** Requirements of OWASP ASVS that no tagged test, or not a test alone, shows to be met. */

export type Verdict = 'no' | 'in part' | 'no test';

export interface Exception {
  readonly requirements: string;
  /** `no`: not met; `in part`: partly met, also if a test is tagged; `no test`: met, but shown by no test. */
  readonly verdict: Verdict;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  { requirements: '1.2.9', verdict: 'no test', reason: 'no regular expression is made from input' },
  { requirements: '2.1.2-3', verdict: 'no test', reason: '`/openapi.json` and the plans document rules and limits' },
  {
    requirements: '2.2.3',
    verdict: 'no test',
    reason: 'each route checks combined values, such as the ends of a range',
  },
  {
    requirements: '2.4.1',
    verdict: 'in part',
    reason: 'logins and costly work are bounded by account; cheap reads are not',
  },
  { requirements: '3.2.1, 3.4.3, 3.4.6', verdict: 'in part', reason: 'JSON replies have `nosniff` and no policy' },
  { requirements: '3.4.1', verdict: 'in part', reason: 'off by default, because it binds every port of the host name' },
  { requirements: '4.2.1', verdict: 'in part', reason: 'see the limits of uWebSockets.js in `SECURITY.md`' },
  { requirements: '6.1.2, 6.2.4, 6.2.11-12', verdict: 'no', reason: 'only the length is checked; no list is shipped' },
  {
    requirements: '6.2.8-10',
    verdict: 'no test',
    reason: 'passwords are hashed as received, up to 128 characters; none expires',
  },
  { requirements: '6.3.3', verdict: 'no', reason: 'offered to every account, enforced for none' },
  { requirements: '6.4.1', verdict: 'in part', reason: 'a change of the first password is not enforced' },
  { requirements: '6.5.5', verdict: 'in part', reason: 'one step of tolerance, as RFC 6238 advises for clocks' },
  { requirements: '7.1.2', verdict: 'no test', reason: 'the number of sessions is not limited' },
  { requirements: '7.2.4', verdict: 'in part', reason: 'the earlier session lasts until it is ended' },
  { requirements: '7.3.1', verdict: 'no', reason: 'a session ends an hour after the login, used or not' },
  { requirements: '7.5.2', verdict: 'in part', reason: 'the token is enough; no password is required' },
  { requirements: '11.1.1', verdict: 'in part', reason: 'there is no schedule of rotation' },
  { requirements: '11.1.2', verdict: 'no test', reason: '`SECURITY.md` lists keys and secrets' },
  { requirements: '11.2.1, 11.2.3', verdict: 'no test', reason: 'OpenSSL by Node.js; keys of 256 bits' },
  { requirements: '11.2.2', verdict: 'in part', reason: 'changing the sealing key loses the second factors' },
  { requirements: '11.4.2', verdict: 'no test', reason: 'argon2id, 19 MiB, 2 passes, by a maintained package' },
  { requirements: '12.1.2', verdict: 'no test', reason: "the TLS library's default cipher suites" },
  {
    requirements: '4.4.1, 12.2.1-2',
    verdict: 'in part',
    reason: 'plain HTTP without `tls.cert` or a proxy; loopback by default',
  },
  {
    requirements: '12.3.1-4',
    verdict: 'in part',
    reason: 'Unix sockets by default; TCP to databases need not use TLS; webhooks verify certificates',
  },
  {
    requirements: '13.1.1',
    verdict: 'no test',
    reason: 'every backend is a setting; users choose none but their own sites',
  },
  {
    requirements: '13.2.1-2',
    verdict: 'in part',
    reason: "the Docker socket gives root's power; database logins are passwords",
  },
  { requirements: '13.2.3', verdict: 'no test', reason: 'no backend login has a default' },
  { requirements: '13.3.1', verdict: 'no', reason: '`keys.json`, mode 0600, and files of the operator' },
  {
    requirements: '14.1.1-2, 14.2.4',
    verdict: 'in part',
    reason: 'no protection levels beyond the list of secrets in `SECURITY.md`',
  },
  {
    requirements: '15.1.1-2, 15.2.1',
    verdict: 'in part',
    reason: '`SECURITY.md` has the deadlines; `uwebsockets` is a republication without recent fixes of its source',
  },
  {
    requirements: '15.1.3',
    verdict: 'in part',
    reason: 'each costly feature documents its limits in its settings; no list of all',
  },
  {
    requirements: '15.2.2',
    verdict: 'in part',
    reason: 'shown for the shared limiter and pool, and not for each feature that uses them',
  },
  { requirements: '15.2.3', verdict: 'in part', reason: 'the build contains the tests, which nothing starts' },
  {
    requirements: '16.1.1',
    verdict: 'in part',
    reason: 'account events are declared by type; no inventory of the log',
  },
  {
    requirements: '16.2.1-2',
    verdict: 'no test',
    reason: 'log entries have a UTC time, and those of a request its id, account and address',
  },
  {
    requirements: '16.3.2',
    verdict: 'in part',
    reason: 'refused changes are logged; refused reads at the level `debug` only',
  },
  { requirements: '16.4.2-3', verdict: 'no', reason: 'the operator collects and protects standard output' },
];

/** Requirements for what Hostkeep does not have. */
export const NOT_APPLICABLE: readonly { readonly requirements: string; readonly reason: string }[] = [
  { requirements: '1.2.6-8', reason: 'no LDAP, XPath or LaTeX' },
  { requirements: '1.3.1, 1.3.4-5', reason: 'no HTML, SVG or style sheets of users' },
  { requirements: '1.3.8-11', reason: 'no JNDI, memcache, format strings or mail' },
  { requirements: '1.5.1', reason: 'no XML' },
  { requirements: '3.5.5', reason: 'no messages between windows' },
  { requirements: '4.3.1-2', reason: 'no GraphQL' },
  { requirements: '4.4.3-4', reason: 'WebSockets have the sessions of requests, and no tokens of their own' },
  { requirements: '5.1.1, 5.2.1-3, 5.3.1, 5.4.1-3', reason: 'no uploads and no downloads' },
  { requirements: '6.6.1-3', reason: 'no out-of-band codes' },
  { requirements: '6.8.1-4, 7.1.3, 7.6.1-2', reason: 'no identity providers' },
  { requirements: '7.4.4', reason: 'an API; logout is a route' },
  {
    requirements: '10.1.1-2, 10.2.1-2, 10.3.1-4, 10.4.1-11, 10.5.1-5, 10.6.1-2, 10.7.1-3',
    reason: 'no OAuth or OpenID Connect',
  },
  { requirements: '11.4.4', reason: 'no keys derived from passwords' },
  { requirements: '11.6.1', reason: 'no public keys of its own' },
  { requirements: '12.1.3', reason: 'no client certificates' },
  { requirements: '17.1.1, 17.2.1-4, 17.3.1-2', reason: 'no WebRTC' },
];
