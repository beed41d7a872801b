namespace n {
class API_EXPORT Base final : public Other {
  Q_OBJECT
  Q_PROPERTY(int size READ size WRITE setSize)
  Q_DISABLE_COPY(Base)
public:
  explicit Base(int a);
  Q_INVOKABLE int size() const { return 1; }
  API_EXPORT ~Base() {}
  API_EXPORT bool operator==(const Base &b) const { return true; }
  virtual void draw() Q_DECL_OVERRIDE { paint(); }
public Q_SLOTS:
  void onClick() { }
Q_SIGNALS:
  void clicked(int x);
private:
  int m;
};
TEST_F(BaseTest, Draws) { EXPECT_TRUE(x) << "a"; }
TYPED_TEST(List, Push) { ASSERT_EQ(1, 2) }
TEST_CASE("adds numbers", "[math]") { REQUIRE(1 == 1); SECTION("inner") { CHECK(2); } }
BOOST_AUTO_TEST_CASE(boost_case)
{
  BOOST_CHECK(true);
}
BENCHMARK_DEFINE_F(Fix, Speed)(benchmark::State& st) { for (auto _ : st) {} }
template <class T> EXPORT T max_of(T a, T b) { return a; }
STDMETHODIMP Foo::Query(REFIID r, void **p) { return S_OK; }
STDMETHODIMP_(ULONG) Foo::AddRef() { return 1; }
API std::vector<int> numbers(int n) { return {}; }
#ifdef A
void either(int a) {
#else
void either(long a) {
#endif
  b();
}
void after_it() { emit changed(1); foreach (int x, list) { y(); } Q_UNUSED(x) return; }
enum class MODE { ONE, TWO };
URL::URL(const char *s) : a(s) {}
class URL { public: URL(int a) { } int port() { return 1; } };
struct Q_CORE_EXPORT Data { int a = 0; std::vector<int> v{1, 2}; void f() {} };
BEGIN_NS
void in_ns() {}
END_NS
}
Q_DECLARE_METATYPE(n::Base)
int main(int argc, char **argv) { auto f = [&](int a) { return a; }; return 0; }
DEFINE_string(port_name, "x", "help");
static const int TABLE[] = { ONE, TWO, THREE };
