/** Domains with certificates of their own, made without an authority. */
import { readFileSync } from 'node:fs';
import type { Core } from '../../kernel/run/core.ts';
import { selfSigned, signedBy } from '../../test/support/certificate.ts';

const DAY_MS = 86_400_000;

/** Adds domains, each with a certificate and that of its issuer, to the store of a Hostkeep that does not run. */
export async function addDomainsWithCertificates(
  { store, keys }: Core,
  accountIds: readonly number[],
  names: readonly string[],
): Promise<void> {
  const authority = selfSigned('authority of the bench');
  const issuer = readFileSync(authority.cert, 'utf8');
  const now = Date.now();
  for (const [i, name] of names.entries()) {
    const { cert, key } = signedBy(authority, `DNS:${name},DNS:www.${name}`);
    const pem = readFileSync(key, 'utf8') + readFileSync(cert, 'utf8') + issuer;
    const accountId = accountIds[i % accountIds.length] ?? 0;
    await store.write(async (tx) => {
      const domain = await tx.get<{ id: number }>(
        `insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at)
          values (?, ?, ?, ?, 1, 'active', '', ?) returning id`,
        ...[accountId, name, name.split('.').toReversed().join('.'), name, now],
      );
      const id = domain?.id ?? 0;
      await tx.run(
        `insert into certificates (domain_id, account_id, is_own, sealed, names, issuer, valid_from, valid_to,
            forces_https, has_hsts, tried_at, try_at, failures, problem, is_told)
          values (?, ?, 1, ?, ?, 'the bench', ?, ?, 0, 0, 0, 0, 0, '', 0)`,
        ...[id, accountId, keys.seal(pem, `certificate ${id}`), JSON.stringify([name, `www.${name}`])],
        ...[now, now + 90 * DAY_MS],
      );
    });
  }
}
