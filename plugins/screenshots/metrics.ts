import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import type { Camera } from './camera.ts';
import type { Gallery } from './gallery.ts';

export function metricsOf(camera: Camera, gallery: Gallery): Metric[] {
  const one = (name: string, type: Metric['type'], help: string, value: number): Metric => ({
    name: `hostkeep_screenshots_${name}`,
    type,
    help,
    samples: [{ value }],
  });
  return [
    one('taken_total', 'counter', 'Pictures taken', gallery.taken),
    one('failed_total', 'counter', 'Pictures that could not be taken', gallery.failed),
    one('pages_open', 'gauge', 'Pages open in the browser', camera.open),
    one('waiting', 'gauge', 'Pictures that wait for a page', camera.waiting),
  ];
}
