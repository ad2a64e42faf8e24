// The HTTP front with what it has to know of this service.
import type { Server } from 'node:http';
import type { Context } from '../context.ts';
import { clientAddress } from '../http/client-address.ts';
import { openProxyNotice } from '../http/proxy-notice.ts';
import { cookieNames } from '../auth/session-cookie.ts';
import { openSigninLimit } from '../auth/signin-limit.ts';
import { deviceByKey } from '../store/devices.ts';
import { holderOf } from '../store/tokens.ts';
import { tunnelExists } from '../store/tunnels.ts';
import { createHttpFront } from './http-front.ts';
import { openVisitorLogins, VISITOR_COOKIES } from './visitor-logins.ts';

export function openTunnelServer({ config, db, tunnels, instanceId, clock }: Context): Server {
  const noticeProxy = openProxyNotice(config);
  return createHttpFront({
    domain: config.tunnelDomain.name,
    scheme: config.tunnelScheme,
    find: (name) => tunnels.find(name),
    exists: (name) => tunnelExists(db, name),
    addressOf: (incoming) => {
      noticeProxy(incoming);
      return clientAddress(config, incoming);
    },
    ownCookies: [...cookieNames(instanceId), ...VISITOR_COOKIES],
    logins: openVisitorLogins(openSigninLimit(config.signinLimit, clock.steady), config.tunnelScheme),
    isOurs: (secret) => holderOf(db, secret) !== undefined || deviceByKey(db, secret) !== undefined,
  });
}
