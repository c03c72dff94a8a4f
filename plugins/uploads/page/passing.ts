import type { HttpRequest, HttpResponse } from 'tus-js-client';

/** Whether the same request may succeed later: nobody answered, another one writes, or the server has too much to do. */
export const isPassing = (status: number): boolean =>
  [0, 423, 429].includes(status) || (status >= 500 && status !== 507);

/** For `onAfterResponse`. The client begins an upload anew unless its server says where it is, also if that is only out of reach. */
export function keepUpload(request: HttpRequest, response: HttpResponse): void {
  if (request.getMethod() === 'HEAD' && isPassing(response.getStatus()))
    throw new Error('the upload is out of reach at the moment');
}
