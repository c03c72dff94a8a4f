import areas from 'hostkeep:areas/console';
import { start } from './start.tsx';

void start({ name: 'console', base: '/console', areas });
