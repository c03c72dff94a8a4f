import * as assert from '../../support/assert.ts';
import { readEntry } from '../../../plugins/waf/log/entry.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('waf: lines of the log');
const REQUEST_ID = '0123456789abcdef0123456789abcdef';

function line(change: object = {}, transaction: object = {}): string {
  return JSON.stringify({
    transaction: {
      client_ip: '192.0.2.7',
      time_stamp: 'Thu Nov 26 08:30:00 2026',
      unique_id: `shop.example/1795681800.250/${REQUEST_ID}`,
      request: { method: 'GET', http_version: 1.1, uri: '/?q=1%27%20or%201=1', ...change },
      response: { http_code: 403 },
      producer: { modsecurity: 'ModSecurity v3', secrules_engine: 'Enabled' },
      messages: [
        { message: 'SQL Injection', details: { ruleId: '942100', data: 'secret', tags: ['attack-sqli', 'OWASP_CRS'] } },
        { message: 'Inbound Anomaly Score Exceeded', details: { ruleId: '949110', tags: [] } },
      ],
      ...transaction,
    },
  });
}

test('a line tells the site, the request and the rules that found something', () => {
  assert.equal(readEntry(line()), {
    site: 'shop.example',
    request: {
      at: 1_795_681_800_250,
      ip: '192.0.2.7',
      method: 'GET',
      uri: '/?q=1%27%20or%201=1',
      status: 403,
      isBlocked: true,
      rules: [{ id: 942_100, message: 'SQL Injection', tags: ['attack-sqli', 'OWASP_CRS'] }],
    },
  });
  const isBlocked = (transaction: object) => readEntry(line({}, transaction))?.request.isBlocked;
  assert.is(isBlocked({ producer: { secrules_engine: 'DetectionOnly' } }), false, 'only told');
  assert.is(isBlocked({ response: { http_code: 200 } }), false);
  assert.is(isBlocked({ messages: [] }), false, 'the site itself refused it');
});

// threat forged-state: a visitor ends no line of the firewall's log, and chooses no site for it
test('a line is of the site that served it, whatever the visitor wrote', () => {
  const forged = line().replace('shop.example', 'other.example');
  const uri = `/${JSON.stringify(`\n${forged}\n`).slice(1, -1)}"}}`;
  const found = readEntry(line({ uri, headers: { Host: 'other.example' } }));
  assert.is(found?.site, 'shop.example');
  assert.is(found?.request.uri, uri);
  for (const id of [
    '',
    'shop.example',
    `a b/1.000/${REQUEST_ID}`,
    `shop.example/x/${REQUEST_ID}`,
    7,
    `/1.000/${REQUEST_ID}`,
  ])
    assert.is(readEntry(line({}, { unique_id: id })), undefined, String(id));
  for (const text of ['', '{', 'null', '[]', '{"transaction":[]}', line().slice(0, 100), line().slice(0, 100) + line()])
    assert.is(readEntry(text), undefined, text);
});

test('what a line has is bounded, whatever it is', () => {
  const messages = Array.from({ length: 200 }, (_, i) => ({
    message: 'x'.repeat(9999),
    details: { ruleId: String(900_000 + i), tags: Array.from({ length: 50 }, () => 'y'.repeat(999)) },
  }));
  const { request } = readEntry(line({ uri: `/${'z'.repeat(99_999)}`, method: 'M'.repeat(999) }, { messages })) ?? {};
  assert.ok(JSON.stringify(request).length < 60_000);
  const odd = readEntry(
    line({ uri: {}, method: 1 }, { response: null, messages: [null, 7, { details: [] }], client_ip: [] }),
  );
  assert.equal(odd?.request, {
    at: 1_795_681_800_250,
    ip: '',
    method: '',
    uri: '',
    status: 0,
    isBlocked: false,
    rules: [],
  });
});
