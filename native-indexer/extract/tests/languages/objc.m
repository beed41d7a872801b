#import <Foundation/Foundation.h>

#define LIMIT 10

@protocol Shape
- (double)area;
@end

@interface Circle : NSObject <Shape>
@property (nonatomic) double radius;
- (void)draw;
@end

@implementation Circle
- (void)draw {
}
- (double)areaWith:(double)scale {
  return scale;
}
@end

static int helper(int x) {
  return x;
}
