/** Threats that need a test, by the name that tags use. Each must be covered by a tagged test. */

/** From the public record of hosting panels and of the libraries used here. */
export const INCIDENTS: Readonly<Record<string, string>> = {
  'forged-state': 'CR/LF in a header forged a finished second factor in a text session file',
  'filtered-post-only': 'An input filter ran for POST only',
  'docker-proxied': 'Unknown paths were passed on to Docker',
  'header-injection': 'A reply header took CR/LF',
  'path-prefix': 'Paths were compared by prefix, and links were followed as root',
  'double-decoding': "`%2e%2e` read another tenant's password",
  'shared-cache': "A cache showed one user another's figures",
  'weak-second-factor':
    'The second factor could be skipped, replayed, turned off with a token, or passed with a long code',
  'user-enumeration': 'Replies and their times revealed which accounts exist',
  'weak-limiter': 'A limiter believed a header, locked everybody out, grew forever, or forgot',
  'immortal-tokens': 'Tokens outlived logout, suspension and password change',
  'cross-site-web-socket': 'A page of another origin opened a WebSocket with the cookie of a session',
  'shell-of-others': 'A shell opened in a container of another account, as root, or with rights of the machine',
  'crossed-scopes': 'A token that was made to read could write, or reached routes that its scope did not name',
  'lost-revocation': 'A reset of a password lost against changes in flight; a set-up begun before it survived it',
  'stolen-token': "An administrator's token was enough to change the password and to make another administrator",
  'fail-open': "A missing plan meant default features, a missing context the host's engine",
  'sql-injection': 'SQL was joined from text',
  'shell-injection': 'A shell read a login name, a program an option from a domain name',
  ssrf: 'Previews reached internal addresses',
  'hostile-page': 'A preview of a hostile page exhausted the machine',
  'open-usage-api': 'A usage API was open to anybody, to any origin, and to DNS rebinding',
  'race-conditions': 'Two concurrent requests shared a name or exceeded a limit',
  'half-made-changes': 'A domain stayed half made when its client or the process went away',
  'leaked-secrets': 'Secrets stood in logs, errors, process lists and replies',
  'hostile-php': 'PHP files of users were executed or exhausted the parser',
  'inherited-rights': 'Programs that read foreign bytes kept the capabilities of the service',
  'stolen-service':
    'An attacker in the process that speaks HTTP had the rights of root, or could make somebody use them',
  'other-accounts': "One account's programs read files of another, because both had the same user",
  'hostile-files':
    'A small file of one customer, or a million names, ended or stopped the process that serves everybody',
  'hung-file-system': "One account's dead file system took the threads that everybody's requests share",
  'crowding-out': 'Many requests or costly files of one account kept all others waiting',
  'swapped-root': 'A files root whose last part the customer owned was exchanged for a link',
  'unhandled-errors': 'An error that nothing handled ended the server without a word',
  'oversized-replies': 'One request made the server hold a reply without bound',
  'trusted-loopback': 'Pictures of own sites came from 127.0.0.1, which status pages trust',
  'reused-names': 'A name taken again brought the files, databases and containers of its former owner',
  'served-links': 'A link of a customer had a web server show files of another account',
  'served-secrets': 'A web server served dumps, databases, keys and source that lay beside the pages',
  'stolen-port': 'A program of a customer listened in the place of a service that restarted, and was told passwords',
  'fleet-stranger': 'Somebody on the network between nodes spoke as one of them, or let himself in',
  'hostile-backend': 'Container engines and database servers hung, lied or flooded their client',
};

/** Attacks that `npm run attack` makes; `npm test` runs a share of each. */
export const ATTACKS: Readonly<Record<string, string>> = {
  'generated-requests': 'Valid and invalid requests for every operation, generated from the API description',
  'malformed-requests': 'Malformed, ambiguous, oversized, mutated and fragmented requests',
  'slow-clients': 'Slow headers and bodies, clients that do not read, up to 10,000 idle connections',
  'hostile-estate': 'A customer with bombs, a million names and floods, beside a neighbour and an administrator',
  'kill-9': '`kill -9`',
  'damaged-files': 'A damaged, truncated or missing store, log or key file',
  'disk-faults': 'A full, read-only, vanished or foreign disk',
  'lost-resources': 'No free descriptors; killed threads and programs',
  'clock-steps': 'Clock steps in both directions',
};
