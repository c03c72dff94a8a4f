import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gauge, type Metric } from '../../kernel/contract/points/metric.ts';

/** When the certificate of `tls.cert` ends; nothing where there is none, or where it cannot be read. */
export async function certificateMetrics(file: string): Promise<Metric[]> {
  const seconds = file === '' ? undefined : await expiryOf(file).catch(() => undefined); // doctor says why
  return [
    gauge(
      'hostkeep_certificate_expiry_timestamp_seconds',
      'End of the certificate, in seconds since 1970',
      seconds === undefined ? [] : seconds,
    ),
  ];
}

async function expiryOf(file: string): Promise<number> {
  return Date.parse(new X509Certificate(await readFile(file)).validTo) / 1000;
}
