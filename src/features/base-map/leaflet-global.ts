// protomaps-leaflet 5 extends `L.GridLayer` of a global `L` instead of importing Leaflet. It reads that global when a
// layer is made, so importing this file first is enough; nothing else in the dashboard may count on the global.
import * as Leaflet from 'leaflet';

Object.assign(globalThis, { L: Leaflet });
