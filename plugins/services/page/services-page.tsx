import { Answer, api, Empty, PageHead, t, useQuery, useRefresh } from '../../pages/kit/index.ts';
import { ServiceCard } from './service-card.tsx';

const POLLED_MS = 10_000;

export default function ServicesPage() {
  const services = useQuery('services', (signal) => api('GET /api/services', { signal }));
  useRefresh(services, POLLED_MS);
  return (
    <>
      <PageHead title={t('services.title')} about={t('services.about')} />
      <Answer of={services} lines={5}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="servers" title={t('services.none')} />
          ) : (
            <div class="stack">
              {all.map((service) => (
                <ServiceCard key={service.service} service={service} />
              ))}
            </div>
          )
        }
      </Answer>
    </>
  );
}
